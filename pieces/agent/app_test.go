package agent_test

func playApp(string) {}

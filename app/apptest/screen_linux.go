package apptest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"io"
	"net"
	"time"
)

// Screen looks at a desktop's screen and clicks on it over a connection of its own: to start a program for each look would
// take longer than what a bench measures. It is used by one goroutine at a time.
type Screen struct {
	t     T
	conn  net.Conn
	root  uint32
	xtest byte // the number that the display gave to its extension for made-up input
}

// The requests of the X protocol that are used, and the kinds of what comes back.
const (
	xGetImage       = 73
	xQueryExtension = 98
	xFakeInput      = 2 // of the extension XTEST

	xPress, xRelease, xMotion = 4, 5, 6
	xError, xReply            = 0, 1
	xPacket                   = 32
)

// Screen connects to the desktop's display; it is closed with the test.
func (d *Desktop) Screen(t T) *Screen {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(context.Background(), "unix", "/tmp/.X11-unix/X"+d.Display[1:])
	if err != nil {
		t.Fatalf("connect to the display: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s := &Screen{t: t, conn: conn}
	if err := s.greet(); err != nil {
		t.Fatalf("connect to the display: %v", err)
	}
	return s
}

// greet learns the root window and the number of XTEST.
func (s *Screen) greet() error {
	if _, err := s.conn.Write([]byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		return err
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(s.conn, head); err != nil {
		return err
	}
	body := make([]byte, 4*int(binary.LittleEndian.Uint16(head[6:])))
	if _, err := io.ReadFull(s.conn, body); err != nil {
		return err
	}
	if head[0] != 1 {
		return fmt.Errorf("it refused: %q", body)
	}
	const fixed, format = 32, 8
	vendor := (int(binary.LittleEndian.Uint16(body[16:])) + 3) &^ 3
	s.root = binary.LittleEndian.Uint32(body[fixed+vendor+format*int(body[21]):])

	name := "XTEST"
	ask := binary.LittleEndian.AppendUint16([]byte{xQueryExtension, 0, 4, 0}, uint16(len(name)))
	ask = append(append(ask, 0, 0), name+"\x00\x00\x00"...)
	answer, _, err := s.ask(ask)
	if err != nil {
		return err
	}
	if answer[8] == 0 {
		return errors.New("it has no XTEST")
	}
	s.xtest = answer[9]
	return nil
}

// ask sends a request and returns the head and the rest of its reply.
func (s *Screen) ask(request []byte) (head, rest []byte, err error) {
	if err := s.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, nil, err
	}
	if _, err := s.conn.Write(request); err != nil {
		return nil, nil, err
	}
	head = make([]byte, xPacket)
	for {
		if _, err := io.ReadFull(s.conn, head); err != nil {
			return nil, nil, err
		}
		switch head[0] {
		case xError:
			return nil, nil, fmt.Errorf("the display refused request %d with error %d", head[10], head[1])
		case xReply:
			rest = make([]byte, 4*int(binary.LittleEndian.Uint32(head[4:])))
			_, err := io.ReadFull(s.conn, rest)
			return head, rest, err
		}
		// An event that everybody gets, such as a new keyboard map.
	}
}

// Look returns a checksum of what is on the screen now in these rectangles of it, in pixels.
func (s *Screen) Look(at ...image.Rectangle) uint32 {
	s.t.Helper()
	const zPixmap, allPlanes = 2, 0xFFFFFFFF
	sum := crc32.NewIEEE()
	for _, r := range at {
		ask := binary.LittleEndian.AppendUint32([]byte{xGetImage, zPixmap, 5, 0}, s.root)
		for _, n := range []int{r.Min.X, r.Min.Y, r.Dx(), r.Dy()} {
			ask = binary.LittleEndian.AppendUint16(ask, uint16(n))
		}
		_, pixels, err := s.ask(binary.LittleEndian.AppendUint32(ask, allPlanes))
		if err != nil {
			s.t.Fatalf("look at the screen: %v", err)
		}
		_, _ = sum.Write(pixels) // a hash never fails
	}
	return sum.Sum32()
}

// Point moves the pointer to a point of the screen.
func (s *Screen) Point(at image.Point) {
	s.t.Helper()
	s.fake(xMotion, 0, at)
}

// Click presses and releases the left button where the pointer is.
func (s *Screen) Click() {
	s.t.Helper()
	s.fake(xPress, 1, image.Point{})
	s.fake(xRelease, 1, image.Point{})
}

func (s *Screen) fake(kind, detail byte, at image.Point) {
	s.t.Helper()
	request := make([]byte, 4+xPacket)
	copy(request, []byte{s.xtest, xFakeInput, 9, 0, kind, detail})
	binary.LittleEndian.PutUint16(request[24:], uint16(at.X))
	binary.LittleEndian.PutUint16(request[26:], uint16(at.Y))
	if _, err := s.conn.Write(request); err != nil {
		s.t.Fatalf("make up input: %v", err)
	}
}

// The same endpoints in Go: net/http, a pool of pgx, rows into structs and structs to JSON. pgx prepares each statement once
// for each connection. BENCH_POSTGRES is the URL of the database.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

const connections = 10

const one = `SELECT id, title, is_active, created_at FROM item WHERE id = $1`
const page = `SELECT id, owner_id, title, is_active, created_at, unit_price::text, score, details
	FROM item WHERE id > $1 ORDER BY id LIMIT $2`

type oneItem struct {
	ID        int32     `json:"id"`
	Title     string    `json:"title"`
	IsActive  bool      `json:"isActive"`
	CreatedAt time.Time `json:"createdAt"`
}

type item struct {
	ID        int32           `json:"id"`
	OwnerID   int64           `json:"ownerId"`
	Title     string          `json:"title"`
	IsActive  bool            `json:"isActive"`
	CreatedAt time.Time       `json:"createdAt"`
	UnitPrice *string         `json:"unitPrice"`
	Score     float64         `json:"score"`
	Details   json.RawMessage `json:"details"`
}

type server struct {
	pool *pgxpool.Pool
}

func main() {
	config, err := pgxpool.ParseConfig(os.Getenv("BENCH_POSTGRES"))
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = connections
	pool, err := pgxpool.ConnectConfig(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	s := &server{pool}
	http.HandleFunc("/bench/one", s.one)
	http.HandleFunc("/bench/hundred", s.page(100))
	http.HandleFunc("/bench/thousand", s.page(1000))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Listening address=%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

func (s *server) one(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.URL.Query().Get("id"))
	if err != nil {
		fail(w, err)
		return
	}
	var it oneItem
	err = s.pool.QueryRow(r.Context(), one, id).Scan(&it.ID, &it.Title, &it.IsActive, &it.CreatedAt)
	if err == pgx.ErrNoRows {
		send(w, []oneItem{}, nil)
		return
	}
	it.CreatedAt = it.CreatedAt.UTC()
	send(w, []oneItem{it}, err)
}

func (s *server) page(rows int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		after, err := strconv.Atoi(r.URL.Query().Get("after"))
		if err != nil {
			fail(w, err)
			return
		}
		items := make([]item, 0, rows)
		result, err := s.pool.Query(r.Context(), page, after, rows)
		if err != nil {
			fail(w, err)
			return
		}
		defer result.Close()
		for result.Next() {
			// A fresh one each time: its details must not share the bytes of the row before.
			var it item
			if err := result.Scan(&it.ID, &it.OwnerID, &it.Title, &it.IsActive, &it.CreatedAt, &it.UnitPrice, &it.Score, &it.Details); err != nil {
				fail(w, err)
				return
			}
			it.CreatedAt = it.CreatedAt.UTC()
			items = append(items, it)
		}
		send(w, items, result.Err())
	}
}

func send(w http.ResponseWriter, value interface{}, err error) {
	if err != nil {
		fail(w, err)
		return
	}
	body, err := json.Marshal(value)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

func fail(w http.ResponseWriter, err error) {
	body, _ := json.Marshal(map[string]string{"error": err.Error()})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	w.Write(body)
}

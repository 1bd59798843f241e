//! The same endpoints in Rust: hyper, tokio-postgres with prepared statements, rows to JSON by the types of their columns.
//! tokio-postgres sends a statement without waiting for the answers to those before it, so a few connections carry many
//! requests at a time; requests take the connections in turns. BENCH_POSTGRES is the URL of the database, BENCH_CONNECTIONS
//! says how many connections there are.

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::AddrStream;
use hyper::service::{make_service_fn, service_fn};
use hyper::{Body, Method, Request, Response, Server, StatusCode};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use tokio_postgres::types::{FromSql, Json, Type};
use tokio_postgres::{Client, NoTls, Row, Statement};

type Failure = Box<dyn Error + Send + Sync>;

struct Endpoint {
    path: &'static str,
    /// The one parameter, an integer.
    parameter: &'static str,
    /// The driver has no type for numeric.
    sql: &'static str,
}

const ENDPOINTS: [Endpoint; 3] = [
    Endpoint {
        path: "/bench/one",
        parameter: "id",
        sql: r#"SELECT id, title, is_active AS "isActive", created_at AS "createdAt" FROM item WHERE id = $1"#,
    },
    Endpoint {
        path: "/bench/hundred",
        parameter: "after",
        sql: r#"SELECT id, owner_id AS "ownerId", title, is_active AS "isActive", created_at AS "createdAt",
            unit_price::text AS "unitPrice", score, details FROM item WHERE id > $1 ORDER BY id LIMIT 100"#,
    },
    Endpoint {
        path: "/bench/thousand",
        parameter: "after",
        sql: r#"SELECT id, owner_id AS "ownerId", title, is_active AS "isActive", created_at AS "createdAt",
            unit_price::text AS "unitPrice", score, details FROM item WHERE id > $1 ORDER BY id LIMIT 1000"#,
    },
];

struct Connection {
    client: Client,
    /// In the order of `ENDPOINTS`.
    statements: Vec<Statement>,
}

struct Database {
    connections: Vec<Connection>,
    next: AtomicUsize,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let url = std::env::var("BENCH_POSTGRES")?;
    let count: usize = std::env::var("BENCH_CONNECTIONS")?.parse()?;
    let database = Arc::new(Database::open(&url, count).await?);
    let service = make_service_fn(|_: &AddrStream| {
        let database = database.clone();
        async { Ok::<_, Infallible>(service_fn(move |request| answer(database.clone(), request))) }
    });
    let server = Server::bind(&SocketAddr::from(([127, 0, 0, 1], 0))).tcp_nodelay(true).serve(service);
    println!("Listening address={}", server.local_addr());
    server.await?;
    Ok(())
}

async fn answer(database: Arc<Database>, request: Request<Body>) -> Result<Response<Body>, Infallible> {
    let found = ENDPOINTS.iter().position(|endpoint| endpoint.path == request.uri().path());
    let (status, body) = match found {
        Some(index) if request.method() == Method::GET => {
            match database.query(index, request.uri().query().unwrap_or("")).await {
                Ok(body) => (StatusCode::OK, body),
                Err(error) => (StatusCode::BAD_REQUEST, to_problem(&error.to_string())),
            }
        }
        _ => (StatusCode::NOT_FOUND, to_problem("there is no such endpoint")),
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, "application/json".parse().unwrap());
    Ok(response)
}

fn to_problem(message: &str) -> Vec<u8> {
    serde_json::json!({ "error": message }).to_string().into_bytes()
}

impl Database {
    async fn open(url: &str, count: usize) -> Result<Database, Failure> {
        let mut connections = Vec::new();
        for _ in 0..count {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(connection);
            let mut statements = Vec::new();
            for endpoint in &ENDPOINTS {
                statements.push(client.prepare(endpoint.sql).await?);
            }
            connections.push(Connection { client, statements });
        }
        Ok(Database { connections, next: AtomicUsize::new(0) })
    }

    async fn query(&self, index: usize, query: &str) -> Result<Vec<u8>, Failure> {
        let parameter = ENDPOINTS[index].parameter;
        let value: i32 = query
            .split('&')
            .find_map(|pair| pair.strip_prefix(parameter)?.strip_prefix('='))
            .ok_or("the parameter is missing")?
            .parse()?;
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.connections.len();
        let Connection { client, statements } = &self.connections[turn];
        let rows = client.query(&statements[index], &[&value]).await?;
        let rows: Vec<_> = rows.iter().map(RowJson).collect();
        Ok(serde_json::to_vec(&rows)?)
    }
}

/// A row as a JSON object with a member for each column.
struct RowJson<'a>(&'a Row);

impl Serialize for RowJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RowJson(row) = self;
        let mut object = serializer.serialize_map(Some(row.len()))?;
        for (index, column) in row.columns().iter().enumerate() {
            object.serialize_key(column.name())?;
            match *column.type_() {
                Type::BOOL => object.serialize_value(&get::<bool, S>(row, index)?)?,
                Type::INT4 => object.serialize_value(&get::<i32, S>(row, index)?)?,
                Type::INT8 => object.serialize_value(&get::<i64, S>(row, index)?)?,
                Type::FLOAT8 => object.serialize_value(&get::<f64, S>(row, index)?)?,
                Type::TEXT => object.serialize_value(&get::<&str, S>(row, index)?)?,
                Type::TIMESTAMPTZ => object.serialize_value(&get::<DateTime<Utc>, S>(row, index)?)?,
                Type::JSONB => object.serialize_value(&get::<Json<&RawValue>, S>(row, index)?.map(|json| json.0))?,
                ref other => return Err(S::Error::custom(format!("no JSON for {other}"))),
            }
        }
        object.end()
    }
}

fn get<'a, T: FromSql<'a>, S: Serializer>(row: &'a Row, index: usize) -> Result<Option<T>, S::Error> {
    row.try_get(index).map_err(S::Error::custom)
}

/**
 * The least that any Node program must do to respond after storing a request: Express 5 parses JSON, one row is written
 * to SQLite, all rows of an event loop iteration in one transaction with `synchronous=FULL`, and the responses are sent
 * afterwards. Plain JavaScript, so that startup needn't strip types.
 */
import Database from 'better-sqlite3'
import express from 'express'

const db = new Database(process.argv[2])
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec(
  'CREATE TABLE IF NOT EXISTS request (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT',
)
const insert = db.prepare('INSERT INTO request (at, body) VALUES (?, ?)')

let waiting = []
const commit = db.transaction((group) => {
  for (const { body } of group) insert.run(Date.now(), body)
})

function store(body, answer) {
  if (waiting.length === 0) {
    setImmediate(() => {
      const group = waiting
      waiting = []
      commit(group)
      for (const each of group) each.answer()
    })
  }
  waiting.push({ body, answer })
}

const app = express()
app.use(express.json())
app.post('/hook', (request, response) => {
  const order = request.body
  store(JSON.stringify(order), () => response.json({ order: order.id, state: 'received' }))
})
const server = app.listen(0, '127.0.0.1', () => {
  console.log(server.address().port)
})

/** The least that a Node program must do to return a stored record: Express 5, one SQLite read by ID, JSON. */
import Database from 'better-sqlite3'
import express from 'express'

const [file, id, record] = process.argv.slice(2)
const db = new Database(file)
db.pragma('journal_mode = WAL')
db.exec('CREATE TABLE auth (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT')
db.prepare('INSERT INTO auth (id, record) VALUES (?, ?)').run(id, record)
const read = db.prepare('SELECT record FROM auth WHERE id = ?').pluck()

const app = express()
app.get('/auths/:id', (request, response) => {
  response.json(JSON.parse(read.get(request.params.id)))
})
const server = app.listen(0, '127.0.0.1', () => {
  console.log(server.address().port)
})

/** The project that `init` writes, as a table: path -> text. Pure. */

/** The project itself: where one of these is there already, another project is. */
export const projectFiles: Readonly<Record<string, string>> = {
  'sqlapi.yaml': `# yaml-language-server: $schema=.vscode/sqlapi.schema.json
# docs/configuration.md of the package explains every field.

# Each file below sql/<project>/GET and sql/<project>/POST is an endpoint.
sql_dir: sql

server:
  bind: 127.0.0.1:8080

# The files of sql/notes run here, because the names are equal.
datasources:
  - name: notes
    url: sqlite:notes.db

# The description for programs at /openapi.json, the page for people at /docs.
openapi: true

# sqlapi test runs each case on a new database of this kind, filled by this file.
test:
  datasource: notes
  schema: schema.sql
`,
  'schema.sql': `-- What is in notes.db at the beginning.
CREATE TABLE note (
  note_id INTEGER PRIMARY KEY,
  content TEXT NOT NULL,
  written_on TEXT NOT NULL DEFAULT (date('now'))
);

INSERT INTO note (content, written_on) VALUES
  ('Buy milk', '2026-01-30'),
  ('Call the bank', '2026-01-31');
`,
  'sql/notes/GET/list.sql': `-- @summary Notes, the newest first
-- @tag notes
-- @param word string default null -- only notes with this word in them
-- @param limit integer default 20 -- so many at most
-- @result noteId Number of the note
SELECT note_id, content, written_on
FROM note
WHERE :word IS NULL OR content LIKE '%' || :word || '%'
ORDER BY note_id DESC
LIMIT :limit
`,
  'sql/notes/POST/add.sql': `-- @summary Writes a note
-- @tag notes
-- @param content string -- what it says
-- @result noteId Number of the new note
INSERT INTO note (content) VALUES (:content)
RETURNING note_id, content, written_on
`,
  'tests/notes.test.yaml': `# yaml-language-server: $schema=../.vscode/sqlapi-test.schema.json
# Each case runs on a database of its own, as schema.sql makes it. ".." stands for whatever is there.
cases:
  - name: lists notes with a word
    request:
      path: /notes/list
      query: { word: milk }
    expect:
      rows:
        - { noteId: 1, content: Buy milk, writtenOn: '2026-01-30' }

  - name: writes a note
    request:
      path: /notes/add
      body: { content: Water the plants }
    expect:
      rows:
        - { noteId: 3, content: Water the plants, writtenOn: .. }

  - name: wants a text
    request:
      path: /notes/add
      body: { content: [1, 2] }
    expect:
      status: 400
`,
}

/** What is around it. One that is there already stays as it is. */
export const surroundings: Readonly<Record<string, string>> = {
  '.gitignore': `node_modules
*.db
*.db-shm
*.db-wal
`,
  '.vscode/extensions.json': toJson({ recommendations: ['redhat.vscode-yaml'] }),
  '.vscode/settings.json': toJson({
    'yaml.schemas': {
      '.vscode/sqlapi.schema.json': '/sqlapi.yaml',
      '.vscode/sqlapi-test.schema.json': '*.test.yaml',
    },
  }),
}

export const schemaScript: string = projectFiles['schema.sql'] as string

export function toJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Where a sqlite: URL leads: database/sqlite/location.ts. */
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { readLocation } from '../../../src/database/sqlite/location.ts'

const files: readonly (readonly [url: string, path: string, isReadOnly: boolean, mayCreate: boolean])[] = [
  ['sqlite:data.db', 'data.db', false, true],
  ['sqlite://data.db', 'data.db', false, true],
  ['sqlite:///srv/data.db', '/srv/data.db', false, true],
  ['sqlite:/srv/data.db?mode=ro', '/srv/data.db', true, false],
  ['sqlite:data.db?mode=rw', 'data.db', false, false],
  ['sqlite:my%20data.db', 'my data.db', false, true],
  ['sqlite:100%.db', '100%.db', false, true],
]

for (const [url, path, isReadOnly, mayCreate] of files) {
  test(`${url} opens ${path} [D6.4]`, () => {
    const location = readLocation(url)
    const uris = { uri: '', uriOfExisting: '', uriReadOnly: '' }
    assert.deepEqual({ ...location, ...uris }, { path: resolve(path), isReadOnly, mayCreate, ...uris })
  })
}

test('characters with a meaning in a URI stay part of the file name [D6.4]', () => {
  assert.match(readLocation('sqlite:/srv/a%3Fb%23c.db').uri, /^file:\/srv\/a%3Fb%23c\.db\?mode=rwc$/)
})

test('every datasource in memory is a database of its own [D6.4]', () => {
  const [one, other] = [readLocation('sqlite::memory:'), readLocation('sqlite://:memory:')]
  assert.equal(one.path, undefined)
  assert.notEqual(one.uri, other.uri)
})

test('the URI for a file that has been there makes none [S13]', () => {
  const { uri, uriOfExisting } = readLocation('sqlite:/srv/a.db')
  assert.deepEqual([uri, uriOfExisting], ['file:/srv/a.db?mode=rwc', 'file:/srv/a.db?mode=rw'])
  assert.equal(readLocation('sqlite:/srv/a.db?mode=ro').uriOfExisting, 'file:/srv/a.db?mode=ro')
})

test('the URI for a connection that only reads [N1.1]', () => {
  assert.equal(readLocation('sqlite:/srv/a.db').uriReadOnly, 'file:/srv/a.db?mode=ro')
  assert.equal(
    readLocation('sqlite:/srv/a.db?mode=rw&cache=private').uriReadOnly,
    'file:/srv/a.db?mode=ro&cache=private',
  )
})

/**
 * The files with which datasources log in: certificates, their key, trust anchors, a password. Which they are, and
 * whether they hold the same as before. Whether they are good is for the database (database/open.ts).
 */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { Datasource } from './config.ts'
import { filesOfUrl } from './url.ts'

type Login = Pick<Datasource, 'url' | 'replicas' | 'passwordFile'>

/** Paths. */
export function loginFilesOf({ url, replicas, passwordFile }: Login): readonly string[] {
  return [...[url, ...replicas].flatMap(filesOfUrl), ...(passwordFile === '' ? [] : [passwordFile])]
}

/** The same as long as each of them holds the same; empty where there are none. */
export function digestOfLogin(login: Login): string {
  const files = loginFilesOf(login)
  if (files.length === 0) return ''
  const hash = createHash('sha256')
  for (const file of files) hash.update(JSON.stringify([file, contentOf(file)]))
  return hash.digest('base64')
}

function contentOf(file: string): string {
  try {
    return isEndless(file) ? 'no file' : readFileSync(file, 'base64')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? ''
  }
}

/** A pipe or a device: reading it might never end. */
function isEndless(file: string): boolean {
  try {
    const stats = statSync(file)
    return !stats.isFile() && !stats.isDirectory()
  } catch {
    return false
  }
}

/** `npm run boundaries`: writes the tables of rooms into ARCHITECTURE.md, between their markers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parts } from './rooms.ts'
import { writeTables } from './tables.ts'

const page = resolve(import.meta.dirname, '../../ARCHITECTURE.md')
writeFileSync(page, writeTables(readFileSync(page, 'utf8'), parts))

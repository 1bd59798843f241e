/**
 * The one part of undici that this service uses, imported by its file: the whole library brings fetch, WebSocket, caches and
 * more, memory that would serve nothing. The version is exact, so the path holds.
 */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}

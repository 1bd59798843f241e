/**
 * The one part of undici that this service uses, imported by its file: the whole library brings fetch, WebSocket, caches and
 * more, memory that would serve nothing. The version is exact, so the path holds.
 */
declare module 'undici/lib/llhttp/llhttp_simd-wasm.js' {}

declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export default Client
}

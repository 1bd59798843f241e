/**
 * The one part of undici that this service uses, imported by its file: the whole library would load fetch, WebSocket,
 * caches and more, and waste memory. The version is pinned, so the path stays valid.
 */
declare module 'undici/lib/llhttp/llhttp_simd-wasm.js' {}

declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export default Client
}

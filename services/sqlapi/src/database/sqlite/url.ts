/** URLs of SQLite. Their parameters are SQLite's own; location.ts reads them. */
import type { UrlRules } from '../url-rules.ts'

export const url: UrlRules = {
  prefixes: ['sqlite:'],
  hasLogin: false,
  problemOf: (url) => (/^sqlite:(?:\/\/)?(?:\?|$)/i.test(url) ? 'a URL without a file' : undefined),
  withOneHost: (url) => url,
  parameters: {},
  fileParameters: [],
  conflictsOf: () => [],
  pooledConflictsOf: () => [],
  hintOf: (url) =>
    /^sqlite:(?:\/\/)?~/i.test(url)
      ? 'the path begins with ~, which only shells replace (write the path of the home directory)'
      : undefined,
  isInMemory(url) {
    const [, path, query] = /^sqlite:(?:\/\/)?([^?]*)\??(.*)$/is.exec(url) ?? []
    const parameters = new URLSearchParams(query)
    return path === ':memory:' || parameters.get('mode') === 'memory' || parameters.get('vfs') === 'memdb'
  },
}

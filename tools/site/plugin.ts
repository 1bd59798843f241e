/**
 * For the generator's Markdown reader: what is right in the repository becomes what is right on the site. A link to a
 * page leads to its place and has its title where it had the name of the file, a link to another file leads to its
 * copy, a page that is only named in backquotes becomes a link, pictures of plain HTML are found, and code that is
 * indented looks like code.
 */
import { addressOfFile, fileNamed, pageInCode, pageNamed, type Site } from './pages.ts'

/** What is used of a token of markdown-it. */
interface Token {
  type: string
  content: string
  info: string
  readonly children: Token[] | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}

interface State {
  readonly tokens: readonly Token[]
  readonly env: { readonly realPath?: string; readonly path?: string }
  readonly Token: new (type: string, tag: string, nesting: number) => Token
}

interface MarkdownIt {
  readonly core: { readonly ruler: { push(name: string, rule: (state: State) => void): void } }
}

/** @param root of the repository */
export function repositoryLinks(root: string, site: Site): (md: MarkdownIt) => void {
  return (md) => {
    md.core.ruler.push('repository_links', (state) => {
      const from = (state.env.realPath ?? state.env.path ?? '').slice(root.length + 1)
      for (const token of state.tokens) {
        if (token.type === 'html_block') relateImages(token)
        // The generator gives its look to fenced code alone.
        if (token.type === 'code_block') Object.assign(token, { type: 'fence', info: '' })
        if (token.children !== null) rewrite(token.children, from, state)
      }
    })
  }

  function rewrite(tokens: Token[], from: string, state: State): void {
    let isInLink = false
    for (let index = 0; index < tokens.length; index++) {
      const token = tokens[index] as Token
      if (token.type === 'link_open') {
        isInLink = true
        const href = token.attrGet('href') ?? ''
        token.attrSet('href', toAddress(href, from))
        nameByTitle(tokens[index + 1], href, from)
      } else if (token.type === 'link_close') isInLink = false
      else if (token.type === 'html_inline') relateImages(token)
      else if (token.type === 'code_inline') {
        const page = isInLink ? undefined : pageInCode(site, from, token.content)
        toBreakableCode(token)
        if (page === undefined || page.file === from) continue
        const open = new state.Token('link_open', 'a', 1)
        open.attrSet('href', `/${page.place}`)
        tokens.splice(index, 1, open, token, new state.Token('link_close', 'a', -1))
        index += 2
      }
    }
  }

  /** `[errors.md](errors.md)` is for those who read files. */
  function nameByTitle(text: Token | undefined, href: string, from: string): void {
    const [path = ''] = href.split('#')
    if (text?.type !== 'text' || !text.content.endsWith('.md') || !path.endsWith(text.content)) return
    text.content = pageNamed(site, from, path)?.title ?? text.content
  }

  function toAddress(href: string, from: string): string {
    if (/^(?:[a-z][a-z\d+.-]*:|#|\/)/i.test(href)) return href
    const [path = '', anchor] = decodeURI(href).split('#')
    const page = pageNamed(site, from, path)
    if (page !== undefined) return `/${page.place}${anchor === undefined ? '' : `#${anchor}`}`
    const file = fileNamed(root, from, path)
    return file === undefined ? href : addressOfFile(file)
  }
}

/**
 * Long names may break behind a dot, a slash or an underscore, so that columns of tables stay narrow. `v-pre`, because
 * the generator would read two braces as an expression of its own.
 */
function toBreakableCode(token: Token): void {
  const text = token.content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const isName = token.content.length > 12 && !token.content.includes(' ')
  token.type = 'html_inline'
  token.content = `<code v-pre>${isName ? text.replaceAll(/(?<=[\w\]][._/]+)(?=\w)/g, '<wbr>') : text}</code>`
}

/** The generator takes paths that begin with a dot for files beside the page, and others for addresses. */
function relateImages(token: Token): void {
  token.content = token.content.replaceAll(/(<img\b[^>]*? src=")(?![a-z]+:|[./])/g, '$1./')
}

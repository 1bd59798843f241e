/**
 * The fields of a SOAP file -> what is unwise about them, though the file loads. What no call can fill in its template
 * is found with the template.
 */
import { nearest, type Problem } from '@services/config-file'
import type { Template } from '../../model.ts'
import { soapVersions, usualSoapVersion } from '../../soap-versions.ts'
import { choiceWarnings } from './choices.ts'
import type { TemplateWarning } from '../../soap/request/template-names.ts'
import type { SoapFile } from './dsl-schema.ts'

interface Slip {
  /** Its groups hold a name, and only one of them matches. */
  readonly pattern: RegExp
  /** Undefined for what may be meant as it is. */
  readonly tell: (written: string, name: string, params: readonly string[]) => string | undefined
}

const slips: readonly Slip[] = [
  {
    // The form of other templates and of variables, which no XML has by itself.
    pattern: /\$\{([^{}]{0,100})\}/g,
    tell(written, name, params) {
      const word = /[\p{L}_][\p{L}\p{N}_-]*(?=[^\p{L}\p{N}_.-]|$)/u.exec(name)?.[0] ?? 'name'
      const meant = nearest(word, params)
      return meant === undefined
        ? `${written} is text; a placeholder is written {{${word}}}, with a name of params`
        : `${written} is text; a placeholder is written {{${meant}}}`
    },
  },
  {
    pattern: /(?<![{$])\{\s*([\w.-]+)\s*\}(?!\})/g,
    tell: (written, name, params) =>
      params.includes(name) ? `${written} is text; a placeholder is written {{${name}}}` : undefined,
  },
  {
    pattern: /\{\{(?:\{\s*([\w-]+)(?:\.[\w.-]+)?\s*\}|&\s*([\w-]+)(?:\.[\w.-]+)?\s*)\}\}/g,
    tell: (written, name, params) =>
      params.includes(name)
        ? `${written} writes the value of the caller as it is, who can change the message with it; write {{${written.replaceAll(/[{&}\s]/g, '')}}}, unless the value is to be XML`
        : undefined,
  },
]

/** Params in one brace or in three, and names after a dollar sign, with the lines of the text. */
export function slipsIn(envelope: string, params: readonly string[]): TemplateWarning[] {
  const found = new Map<string, { message: string; lines: number[] }>()
  for (const [line, text] of envelope.split('\n').entries()) {
    for (const { pattern, tell } of slips) {
      for (const [written, name, other = ''] of text.matchAll(pattern)) {
        const known = found.get(written)
        const message = known?.message ?? tell(written, name ?? other, params)
        if (message === undefined) continue
        if (known === undefined) found.set(written, { message, lines: [line + 1] })
        else known.lines.push(line + 1)
      }
    }
  }
  return [...found.values()]
}

/** Tags that reach params without a name of theirs. */
const reachingAll = /\{\{[^}]*?(?:\blookup\b|@root\s*[)}]|#(?:each|each_value|with)\s+(?:this|\.)\s*\}|>)/

/** Params that the envelope never names: what a caller gives for them is dropped. */
export function unusedParams({ envelope, params, declared }: SoapFile): Problem[] {
  if (params.length === 0 || reachingAll.test(envelope)) return []
  const tags = Array.from(envelope.matchAll(/\{\{[^]*?\}\}/g), ([tag]) => tag).join(' ')
  const named = new Set(tags.split(/[^\p{L}\p{N}_-]+/u))
  return params.flatMap((name, index) => {
    // A name with other characters stands in brackets.
    if (named.has(name) || tags.includes(`[${name}]`)) return []
    const message = `the envelope does not use ${name}, so values for it are dropped; write {{${name}}} where it belongs, or take it out`
    return [{ path: ['params', declared === undefined ? index : name], message }]
  })
}

export function soapWarnings(
  { service, params, declared, choices, method, envelope, soapVersion, client }: SoapFile,
  { namesClient }: Template,
): Problem[] {
  const warnings: Problem[] = []
  if (client !== undefined && service !== undefined && !namesClient) {
    warnings.push({ path: ['client'], message: 'has no effect beside service, which is called without X-Road' })
  }
  const { envelope: namespace } = soapVersions[soapVersion]
  if (soapVersion !== usualSoapVersion && !envelope.includes(namespace)) {
    const message = `an envelope of SOAP ${soapVersion} has the namespace ${namespace}, and this one does not name it`
    warnings.push({ path: ['envelope'], message })
  }
  if (service !== undefined && /^http:/i.test(service)) {
    warnings.push({ path: ['service'], message: 'the call is not encrypted; https is right' })
  }
  if (service !== undefined && /[?&](?:singlewsdl|wsdl)(?:[=&#]|$)/i.test(service)) {
    const message = 'the address ends like that of a WSDL; the service itself is usually called without ?wsdl'
    warnings.push({ path: ['service'], message })
  }
  if (method !== 'POST') warnings.push({ path: ['method'], message: `found ${method}; SOAP is called with POST` })
  if (params.includes('generate')) {
    const message = 'generate is what the service itself fills in; a param of that name never reaches the template'
    warnings.push({ path: ['params', declared === undefined ? params.indexOf('generate') : 'generate'], message })
  }
  return [...warnings, ...choiceWarnings(choices, params)]
}

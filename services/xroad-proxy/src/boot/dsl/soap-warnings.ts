/**
 * The fields of a SOAP file -> what is unwise about them, though the file loads. What no call can fill in its template
 * is found with the template.
 */
import type { Problem } from '@services/config-file'
import type { Template } from '../../model.ts'
import { soapVersions, usualSoapVersion } from '../../soap-versions.ts'
import { choiceWarnings } from './choices.ts'
import type { TemplateWarning } from '../../soap/request/template-names.ts'
import type { SoapFile } from './dsl-schema.ts'

/** A name in one brace, as other templates have it, with a dollar sign or without. */
const singleBraced = /\$?(?<!\{)\{\s*([\w.-]+)\s*\}(?!\})/g

/** Params in one brace, with the lines of the template. */
export function singleBracedIn({ envelope, params }: Pick<SoapFile, 'envelope' | 'params'>): TemplateWarning[] {
  const found = new Map<string, { name: string; lines: number[] }>()
  for (const [line, text] of envelope.split('\n').entries()) {
    for (const [written, name = ''] of text.matchAll(singleBraced)) {
      if (!params.includes(name)) continue
      const known = found.get(written) ?? { name, lines: [] }
      found.set(written, known)
      known.lines.push(line + 1)
    }
  }
  return Array.from(found, ([written, { name, lines }]) => {
    return { lines, message: `${written} is text; a placeholder is written {{${name}}}` }
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

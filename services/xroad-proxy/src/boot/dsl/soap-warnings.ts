/**
 * The fields of a SOAP file -> what is unwise about them, though the file loads. What no call can fill in its template
 * is found with the template.
 */
import type { Problem } from '@services/config-file'
import type { Template } from '../../model.ts'
import { soapVersions, usualSoapVersion } from '../../soap-versions.ts'
import { choiceWarnings } from './choices.ts'
import type { SoapFile } from './dsl-schema.ts'

/** A name in one brace, as other templates have it. */
const singleBraced = /(?<!\{)\{\s*([\w.-]+)\s*\}(?!\})/g

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
  const single = Array.from(envelope.matchAll(singleBraced), ([, name = '']) => name).find((name) =>
    params.includes(name),
  )
  if (single !== undefined) {
    const message = `{${single}} is text; a placeholder is written {{${single}}}`
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

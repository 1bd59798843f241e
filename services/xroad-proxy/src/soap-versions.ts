/** What tells the versions of SOAP apart, a row each. What each sends in HTTP is serve/lanes/soap-destination.ts. */
import type { SoapVersion } from './model.ts'

interface SoapVersionRow {
  /** Namespaces of an envelope, of encoded values, and of what binds operations in a WSDL. */
  readonly envelope: string
  readonly encoding: string
  readonly binding: string
  /** Whether Security Servers take it; otherwise it is for direct calls only. */
  readonly isOfXroad: boolean
}

export const soapVersions: Readonly<Record<SoapVersion, SoapVersionRow>> = {
  '1.1': {
    envelope: 'http://schemas.xmlsoap.org/soap/envelope/',
    encoding: 'http://schemas.xmlsoap.org/soap/encoding/',
    binding: 'http://schemas.xmlsoap.org/wsdl/soap/',
    isOfXroad: true,
  },
  '1.2': {
    envelope: 'http://www.w3.org/2003/05/soap-envelope',
    encoding: 'http://www.w3.org/2003/05/soap-encoding',
    binding: 'http://schemas.xmlsoap.org/wsdl/soap12/',
    isOfXroad: false,
  },
}

/** In the order in which a WSDL is searched for them: an operation has the first that binds it. */
export const soapVersionNames = Object.keys(soapVersions) as readonly SoapVersion[]

/** Of a DSL file that names none. */
export const usualSoapVersion: SoapVersion = '1.1'

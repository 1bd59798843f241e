/** What signals do to the service. The cases are those of the package that both services share. */
import { after } from 'node:test'
import { testSignals } from '@services/command-line/testing'
import { startProxy } from '../../support/process.ts'
import { type SoapService, startSoapService } from '../../support/soap-service.ts'

const upstreams: SoapService[] = []

after(() => Promise.all(upstreams.map((upstream) => upstream.close())))

testSignals({
  title: 'the service [X1 X2 X30]',
  async start(nodeOptions) {
    const soap = await startSoapService()
    upstreams.push(soap)
    const env = nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }
    const running = await startProxy({ files: { 'g/echo.yml': soap.echo }, env })
    return { ...running, getPath: '/health', postPath: '/g/echo' }
  },
})

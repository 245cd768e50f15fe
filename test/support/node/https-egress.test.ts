/** `npm run serve:protected` behind an egress proxy with https, whose certificate is of a private authority. */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { authorizeQuery, createVerifier, REDIRECT } from '../../attacks/auth/client.ts'
import { send } from '../../attacks/auth/send.ts'
import { createSelfSignedCertificate } from './self-signed-certificate.ts'
import { startScript } from './serve-script.ts'

const CLIENT = 'https://good.client.example/client.json'

it('the egress proxy is trusted by the certificates of NODE_EXTRA_CA_CERTS', async () => {
  const requested: unknown[] = []
  const { certificate, privateKey } = createSelfSignedCertificate()
  const proxy = createServer({ key: privateKey, cert: certificate }, (request, response) => {
    requested.push(request.headers['x-original-url'])
    const client = { client_id: CLIENT, client_name: 'A document', redirect_uris: [REDIRECT] }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(client))
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const folder = await mkdtemp(join(tmpdir(), 'edgeway-authority-'))
  onTestFinished(async () => {
    proxy.closeAllConnections()
    proxy.close()
    await rm(folder, { recursive: true, force: true })
  })
  const authority = join(folder, 'authority.pem')
  await writeFile(authority, certificate)
  const egress = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  vi.stubEnv('NODE_EXTRA_CA_CERTS', authority)
  const server = startScript('serve-protected.ts', '--port', '0', '--egress', egress)
  vi.unstubAllEnvs()
  onTestFinished(async () => {
    server.child.kill('SIGTERM')
    await server.ended
  })
  const { issuer } = await server.announced
  const answer = await send(issuer, `/authorize?${authorizeQuery(CLIENT, createVerifier())}`)
  expect(answer.status).toBe(200)
  expect(requested).toEqual([CLIENT])
})

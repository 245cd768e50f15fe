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
import { startScript } from './serve-script.ts'

/** Of 127.0.0.1, signed by itself, valid for a hundred years. It protects nothing. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkTCCATagAwIBAgIUAQihFbeAjGlb2PFJ1ddzu70kZBMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMzAwMDkwNVoYDzIxMjYxMDMw
MDAwOTA1WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASP1nJrT2p3WzFTdcmkrzbXRQV8n+dNM8QSpUCpbp2tmp4FPmMWIYN1
ZBQzpGMgWd7urTVrFF9Tj4/SeOPdIytZo2QwYjAdBgNVHQ4EFgQUZsqoRsqRNW9o
Rx9aykEGLrwJzg8wHwYDVR0jBBgwFoAUZsqoRsqRNW9oRx9aykEGLrwJzg8wDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0kAMEYC
IQD1kRE+MRIfA0WpycakbwYGD5hwkhlRoDUKtnbAT6d/ogIhAPqspgdbksbL5sge
ILNnEb1O4V3OEngDMrzHMam/0hTR
-----END CERTIFICATE-----
`
const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbt1/AQNX8fC0AZll
T3ZsPqc6rdre5uZcqMwywR6RvvGhRANCAASP1nJrT2p3WzFTdcmkrzbXRQV8n+dN
M8QSpUCpbp2tmp4FPmMWIYN1ZBQzpGMgWd7urTVrFF9Tj4/SeOPdIytZ
-----END PRIVATE KEY-----
`

const CLIENT = 'https://good.client.example/client.json'

it('the egress proxy is trusted by the certificates of NODE_EXTRA_CA_CERTS', async () => {
  const requested: unknown[] = []
  const proxy = createServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (request, response) => {
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
  await writeFile(authority, CERTIFICATE)
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

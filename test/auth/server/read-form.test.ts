/** Forms that are posted to the endpoints, as programs send them and as pages do. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { messageOf, refusalOf, refusalWith } from './support/answers.ts'
import { Browser, encodeForm } from './support/browser.ts'
import { type Deployment, ORIGIN, openDeployment } from './support/deployment.ts'
import { MACHINE, SECRET } from './support/static-clients.ts'

const FORM = 'application/x-www-form-urlencoded'

/** A form that each endpoint accepts. */
const BODY = encodeForm({
  client_id: 'machine',
  client_secret: SECRET,
  grant_type: 'client_credentials',
  token: 'made-up',
})

const open = () => openDeployment({ clients: [MACHINE] })

const bytesOf = (text: string, ...bytes: readonly number[]) =>
  new Uint8Array([...new TextEncoder().encode(text), ...bytes])

const post = (
  server: Deployment,
  path: string,
  body: BodyInit | null,
  type: string | null = FORM,
) =>
  server.fetch(`${ORIGIN}${path}`, {
    method: 'POST',
    headers: type === null ? {} : { 'content-type': type },
    body,
  })

describe.each(['/token', '/revoke', '/introspect'])('the endpoint %s', (path) => {
  it.each([
    ['of the media type of forms', BODY, FORM],
    ['of that media type in upper case', BODY, FORM.toUpperCase()],
    ['of that media type with a parameter', BODY, `${FORM} ; charset=UTF-8`],
    ['with a parameter without a value', `${BODY}&scope=`, FORM],
    ['of 64 KiB', `${BODY}&x=`.padEnd(65_536, 'x'), FORM],
    ['with a byte order mark', bytesOf('\ufeffx=1&', ...bytesOf(BODY)), FORM],
  ])('accepts a form %s', async (_, body, type) => {
    verifies('oauth-2-1-clients/form-encoding', 'oauth-2-1-endpoints/empty-parameters')
    verifies('oauth-2-1-endpoints/unknown-parameters-of-tokens')
    expect((await post(open(), path, body, type)).status).toBe(200)
  })

  it.each([
    ['in JSON', BODY, 'application/json'],
    ['in multipart', BODY, 'multipart/form-data; boundary=x'],
    ['without a media type', bytesOf(BODY), null],
    ['of more than 64 KiB', `${BODY}&x=`.padEnd(65_537, 'x'), FORM],
    ['that is not UTF-8', bytesOf(`${BODY}&x=`, 0xff), FORM],
    ['that ends within a character', bytesOf(`${BODY}&x=`, 0xc3), FORM],
    ['with a parameter twice', `${BODY}&client_id=machine`, FORM],
    ['with a parameter twice that it does not know', `${BODY}&x=1&x=1`, FORM],
    ['with a parameter twice that has no value', `${BODY}&x=&x=`, FORM],
    ['with a value beside the same parameter without one', `${BODY}&x=1&x=`, FORM],
    ['with nothing in it', '', FORM],
  ])('rejects a body %s with invalid_request', async (_, body, type) => {
    verifies('oauth-2-1-clients/form-encoding', 'oauth-2-1-endpoints/unknown-parameters-of-tokens')
    verifies('oauth-2-1-endpoints/repeated-parameters-of-tokens')
    expect(await refusalOf(await post(open(), path, body, type))).toEqual(
      refusalWith('invalid_request'),
    )
  })

  it('rejects a request without a body with invalid_request', async () => {
    expect(await refusalOf(await post(open(), path, null))).toEqual(refusalWith('invalid_request'))
  })

  it('rejects a body that breaks off with invalid_request', async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(bytesOf(BODY)),
      pull: (controller) => controller.error(new Error('cut off')),
    })
    expect(await refusalOf(await post(open(), path, body))).toEqual(refusalWith('invalid_request'))
  })
})

describe.each(['/authorize/decision', '/account/disconnect', '/login', '/logout'])(
  'the form of a page at %s',
  (path) => {
    it('is rejected with a page and status 400 in another media type', async () => {
      const browser = new Browser(openDeployment())
      const page = await browser.post(path, { csrf: 'x' }, { 'content-type': 'text/plain' })
      expect(messageOf(page)).toBe(400)
    })
  },
)

/** Forms that are posted to the endpoints, as programs send them and as pages do. */
import { describe, expect, it } from 'vitest'
import { messageOf, refusalOf } from './support/answers.ts'
import { Browser, encodeForm, type Fields } from './support/browser.ts'
import { AuthClient } from './support/client.ts'
import { type Deployment, ORIGIN, openDeployment } from './support/deployment.ts'

const FORM = 'application/x-www-form-urlencoded'

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

/** A revocation of a token that does not exist succeeds, so whatever fails is the form. */
async function open(changes: Fields = {}) {
  const server = openDeployment()
  const { id } = await AuthClient.register(server)
  return { server, id, body: encodeForm({ client_id: id, token: 'made-up', ...changes }) }
}

const ENDPOINTS = ['/token', '/revoke', '/introspect']

describe('a form', () => {
  it.each([
    ['of the media type of forms', FORM],
    ['of that media type in upper case, with a parameter', `${FORM.toUpperCase()} ; charset=UTF-8`],
  ])('%s is accepted', async (_, type) => {
    const { server, body } = await open()
    expect((await post(server, '/revoke', body, type)).status).toBe(200)
  })

  it('of 64 KiB is accepted', async () => {
    const { server, body } = await open()
    const filled = `${body}&x=`.padEnd(65_536, 'x')
    expect((await post(server, '/revoke', filled)).status).toBe(200)
  })

  it('that repeats an unknown parameter without a value is rejected with invalid_request', async () => {
    const { server, body } = await open()
    expect(await refusalOf(await post(server, '/revoke', `${body}&x=&x=`))).toEqual({
      status: 400,
      error: 'invalid_request',
    })
  })

  it('with a parameter without a value is read as if the parameter were left out', async () => {
    const { server, body } = await open({ token: '' })
    expect(await refusalOf(await post(server, '/revoke', body))).toEqual({
      status: 400,
      error: 'invalid_request',
    })
  })
})

describe.each(ENDPOINTS)('the endpoint %s', (path) => {
  const failing = () =>
    new ReadableStream({
      pull: (controller) => controller.error(new Error('cut off')),
    })

  it.each([
    ['in JSON', '{}', 'application/json'],
    ['in multipart', '--x--', 'multipart/form-data; boundary=x'],
    ['without a media type', new TextEncoder().encode('token=x'), null],
    ['of more than 64 KiB', 'x'.repeat(65_537), FORM],
    ['that is not UTF-8', new Uint8Array([0x74, 0x3d, 0xff]), FORM],
    ['that ends within a character', new Uint8Array([0x74, 0x3d, 0xc3]), FORM],
    ['with client_id twice', 'client_id=a&client_id=a', FORM],
    ['that is empty', '', FORM],
  ])('rejects a body %s with invalid_request', async (_, body, type) => {
    expect(await refusalOf(await post(openDeployment(), path, body, type))).toEqual({
      status: 400,
      error: 'invalid_request',
    })
  })

  it('rejects a request without a body with invalid_request', async () => {
    expect(await refusalOf(await post(openDeployment(), path, null))).toEqual({
      status: 400,
      error: 'invalid_request',
    })
  })

  it('rejects a body that breaks off with invalid_request', async () => {
    expect(await refusalOf(await post(openDeployment(), path, failing()))).toEqual({
      status: 400,
      error: 'invalid_request',
    })
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

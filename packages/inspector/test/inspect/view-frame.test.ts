/** The policy of the frame in which the inspector shows a view. */
import { describe, expect, it } from 'vitest'
import { openInspected } from './support/inspected-server.ts'

const VIEW = '/inspect/view'

describe('the frame of a view in the inspector', () => {
  it('has the policy that the options of the view make', async () => {
    const csp = {
      connectDomains: ['https://api.example.com'],
      resourceDomains: ['https://*.cdn.example'],
    }
    const response = await openInspected().fetch(
      `${VIEW}?csp=${encodeURIComponent(JSON.stringify(csp))}`,
    )
    expect(response.headers.get('content-security-policy')?.split('; ')).toEqual([
      'sandbox allow-scripts allow-forms',
      "default-src 'none'",
      "script-src 'unsafe-inline' https://*.cdn.example",
      "style-src 'unsafe-inline' https://*.cdn.example",
      'img-src data: https://*.cdn.example',
      'font-src https://*.cdn.example',
      'media-src data: https://*.cdn.example',
      'connect-src https://api.example.com',
      "frame-src 'none'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ])
  })

  it.each([
    ['no JSON', '{', 'must be an object'],
    ['a list', '[]', 'must be an object'],
    ['a text for a list', { connectDomains: 'https://a.example' }, 'must be a list of origins'],
    ['a wildcard', { connectDomains: ['*'] }, '"*" in _meta.ui.csp.connectDomains'],
    ['a keyword', { resourceDomains: ["'unsafe-eval'"] }, 'must be an origin'],
    [
      'a further directive',
      { frameDomains: ['https://a.example; script-src *'] },
      'must be an origin',
    ],
    ['a path', { baseUriDomains: ['https://a.example/b'] }, 'must be an origin'],
    ['null', { connectDomains: [null] }, 'null in _meta.ui.csp.connectDomains'],
  ])('is refused for %s', async (_, csp, sentence) => {
    const text = typeof csp === 'string' ? csp : JSON.stringify(csp)
    const response = await openInspected().fetch(`${VIEW}?csp=${encodeURIComponent(text)}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: expect.stringContaining(sentence) })
  })
})

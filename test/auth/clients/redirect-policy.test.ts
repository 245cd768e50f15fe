import { describe, expect, it } from 'vitest'
import { createRedirectPolicy } from '../../../src/auth/clients/redirect-policy.ts'
import { verifies } from '../../support/verifies.ts'

const OTHER_SCHEME = 'has a scheme that is neither https nor a reversed domain name'
const NOT_CONFIGURED = 'has a scheme that is not accepted'
const NO_PRESET = 'is not a callback of an accepted client'

describe('createRedirectPolicy by default', () => {
  const { refusal } = createRedirectPolicy()

  it.each([
    'https://anything.example/cb',
    'http://localhost:1234/cb',
    'com.example.app:/cb',
    'com.googleusercontent.apps.123-abc:/oauth2redirect',
    'dev.zed.zed://oauth',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://cb',
    'vscode-insiders://cb',
    'claude://cb',
  ])('accepts %s', (uri) => {
    verifies('native-apps/redirect-options')
    expect(refusal(uri)).toBeUndefined()
  })

  it.each([
    ['myapp://cb', OTHER_SCHEME],
    ['x-apple.systempreferences://com.apple.preference', OTHER_SCHEME],
    ['com.:/cb', OTHER_SCHEME],
    ['com..app:/cb', OTHER_SCHEME],
    ['a.b+c:/cb', OTHER_SCHEME],
    ['c0m.example:/cb', OTHER_SCHEME],
    ['javascript:/alert(1)', 'has a scheme that is never accepted'],
    ['http://a.example/cb', 'must be https, unless its host is a loopback address'],
  ])('rejects %s', (uri, error) => {
    verifies('oauth-security-practice/plain-http-redirects')
    verifies('dynamic-client-registration/redirect-uris-are-checked')
    expect(refusal(uri)).toBe(error)
  })
})

describe('createRedirectPolicy with configured lists', () => {
  it('accepts configured schemes, https and loopback, and no other scheme', () => {
    const { refusal } = createRedirectPolicy({ schemes: ['myapp'] })
    expect(refusal('myapp://cb')).toBeUndefined()
    expect(refusal('https://a.example/cb')).toBeUndefined()
    expect(refusal('http://localhost/cb')).toBeUndefined()
    expect(refusal('cursor://cb')).toBe(NOT_CONFIGURED)
    expect(refusal('com.example.app:/cb')).toBe(NOT_CONFIGURED)
  })

  it('accepts no private-use scheme when the list of schemes is empty', () => {
    const { refusal } = createRedirectPolicy({ schemes: [] })
    expect(refusal('cursor://cb')).toBe(NOT_CONFIGURED)
    expect(refusal('https://a.example/cb')).toBeUndefined()
  })

  it('accepts presets and schemes together, and nothing else', () => {
    const { refusal } = createRedirectPolicy({ presets: ['claude'], schemes: ['myapp'] })
    expect(refusal('https://claude.ai/api/mcp/auth_callback')).toBeUndefined()
    expect(refusal('myapp://cb')).toBeUndefined()
    expect(refusal('https://a.example/cb')).toBe(NO_PRESET)
    expect(refusal('cursor://anysphere.cursor-mcp/oauth/callback')).toBe(NO_PRESET)
  })

  it.each([
    ['claude', 'https://claude.ai/api/mcp/auth_callback'],
    ['claude', 'https://claude.com/api/mcp/auth_callback'],
    ['claude', 'http://localhost:54321/callback'],
    ['chatgpt', 'https://chatgpt.com/connector_platform_oauth_redirect'],
    ['chatgpt', 'https://chatgpt.com/connector/oauth/Ab3-x_9'],
    ['codex', 'http://127.0.0.1:1455/auth/callback'],
    ['cursor', 'cursor://anysphere.cursor-mcp/oauth/callback'],
    ['cursor', 'https://www.cursor.com/agents/mcp/oauth/callback'],
    ['cursor', 'http://localhost:8787/callback'],
    ['vscode', 'https://vscode.dev/redirect'],
    ['vscode', 'https://insiders.vscode.dev/redirect'],
    ['vscode', 'http://127.0.0.1/'],
    ['vscode', 'http://127.0.0.1:33418/'],
    ['inspector', 'http://localhost:6274/oauth/callback'],
    ['inspector', 'http://127.0.0.1:6276/oauth/callback'],
    ['grok', 'https://grok.com/connectors-oauth-exchange-code/'],
  ] as const)('accepts with the preset %s: %s', (preset, uri) => {
    expect(createRedirectPolicy({ presets: [preset] }).refusal(uri)).toBeUndefined()
  })

  it.each([
    ['claude', 'https://claude.ai/api/mcp/auth_callback/'],
    ['claude', 'https://claude.ai.evil.example/api/mcp/auth_callback'],
    ['claude', 'http://localhost:1/other'],
    ['claude', 'cursor://anysphere.cursor-mcp/oauth/callback'],
    ['chatgpt', 'https://chatgpt.com/connector/oauth/'],
    ['chatgpt', 'https://chatgpt.com/connector/oauth/a/b'],
    ['chatgpt', 'https://chatgpt.com/connector/oauth/a?b=c'],
    ['codex', 'https://127.0.0.1/cb'],
    ['grok', 'https://grok.com/connectors-oauth-exchange-code'],
  ] as const)('rejects with the preset %s: %s', (preset, uri) => {
    expect(createRedirectPolicy({ presets: [preset] }).refusal(uri)).toBe(NO_PRESET)
  })

  it('rejects invalid redirect URIs in spite of presets and schemes', () => {
    const { refusal } = createRedirectPolicy({ presets: ['codex'], schemes: ['myapp'] })
    expect(refusal('http://localhost/#x')).toBe('has a fragment')
    expect(refusal('myapp:cb')).toBe('has no slash after its scheme')
  })

  it.each(['javascript', 'https', 'http', 'file', 'data', 'MyApp', 'my app', 'myapp:', '', '9app'])(
    'throws for the configured scheme %j',
    (scheme) => {
      expect(() => createRedirectPolicy({ schemes: [scheme] })).toThrow(TypeError)
    },
  )

  it('throws for an unknown preset', () => {
    expect(() => createRedirectPolicy({ presets: ['toString' as 'claude'] })).toThrow(
      new TypeError('redirects.presets: there is no preset "toString"'),
    )
  })
})

import { describe, expect, it } from 'vitest'
import {
  createRedirectPolicy,
  type RedirectOptions,
} from '../../../src/auth/clients/redirect-policy.ts'
import { verifies } from '../../support/verifies.ts'

const NO_DOMAIN = 'has a scheme that is neither https nor a reversed domain name'
const SYSTEM = 'has a scheme of a system: use https, loopback http, or a scheme of the app'
const NOT_CONFIGURED = 'has a scheme that is not accepted'
const NO_PRESET = 'is not a callback of an accepted client'

describe('createRedirectPolicy by default', () => {
  const { refusal } = createRedirectPolicy()

  it.each(
    (
      'https://anything.example/cb http://localhost:1234/cb com.example.app:/cb ' +
      'com.googleusercontent.apps.123-abc:/oauth2redirect dev.zed.zed://oauth ' +
      'cursor://anysphere.cursor-mcp/oauth/callback vscode://cb vscode-insiders://cb ' +
      'claude://claude.ai/mcp-auth-callback/sdk ' +
      'vscodium://vscode.github-authentication/did-authenticate code-oss://cb ' +
      'windsurf://codeium.windsurf/oauth kiro://kiro.kiroAgent/authenticate-success ' +
      'zed://oauth/callback raycast://oauth?package_name=Extension trae-cn://cb ' +
      'jetbrains://idea/oauth positron://cb msauth.com.example.app://auth msal1234://auth ' +
      'ms.example.app:/cb myapp://cb app2:/cb zed2:/cb'
    ).split(' '),
  )('accepts %s', (uri) => {
    expect(refusal(uri)).toBeUndefined()
  })

  it('rejects plain http of a host that is not loopback', () => {
    expect(refusal('http://a.example/cb')).toBe(
      'must be https, unless its host is a loopback address',
    )
  })

  // The lists of Chromium and Firefox, what a web site can claim, and what is known of Windows, macOS, iOS and Android.
  it.each(
    (
      'javascript vbscript jscript livescript mocha about blob cid mid content data file filesystem jar its mhtml mk ' +
      'res resource view-source wyciwyg feed urn chrome chrome-extension chrome-search moz-extension moz-icon edge ' +
      'edge-extension safari-web-extension firefox firefox-focus opera brave vivaldi googlechrome googlechromes ' +
      'googlechrome-x-callback microsoft-edge microsoft-edge-https x-safari-https opera-http touch-https ie.http ' +
      'web+mcp ext+mcp git+ssh coap+tcp intent android-app app apps shell search search-ms hcp help market itms ' +
      'itms-apps itms-services steam ssh scp telnet tn3270 rlogin rdp vnc ica git svn rsync gopher finger wais ws wss ' +
      'ftp ftps sftp tftp smb cifs nfs afp disk disks dav davs webdav webcal webcals ldap ldaps dict dns rtsp rtmp rtp ' +
      'jdbc odbc coap coaps mqtt amqp stun turns snmp redis news snews nntp irc ircs imap pop smtp xmpp matrix magnet ' +
      'ed2k bitcoin mailto tel callto sms smsto mms mmsto sip sips im pres facetime facetime-audio skype geo ' +
      'openpgp4fpr wtai c z'
    ).split(' '),
  )('rejects the scheme %s, also where it is configured', (scheme) => {
    for (const rest of [':/cb', '://host/cb']) {
      expect(refusal(`${scheme}${rest}`)).toMatch(
        /^(?:has a scheme that is never accepted|is not )/,
      )
    }
    expect(() => createRedirectPolicy({ schemes: [scheme] })).toThrow(TypeError)
  })

  it.each(
    (
      'ms-msdt ms-officecmd ms-word ms-excel ms-appinstaller ms-settings ms-cxh-full ms-help ms-its ms-a-name-of-tomorrow ' +
      'windowsdefender windows-feedback vnd.ms.radio x-apple.systempreferences x-man-page x-web-search x-github-client ' +
      'com.apple.tv applescript applefeedback macappstore macappstores shortcuts workflow prefs app-settings ' +
      'perlscript android-settings saved-search-ms acme-installer'
    ).split(' '),
  )('rejects the scheme %s, unless it is configured', (scheme) => {
    expect(refusal(`${scheme}://cb`)).toBe(SYSTEM)
    expect(createRedirectPolicy({ schemes: [scheme] }).refusal(`${scheme}://cb`)).toBeUndefined()
  })
})

describe('createRedirectPolicy with configured lists', () => {
  const DOMAINS = { schemes: 'reversed-domain' } as const
  const BOTH = { presets: ['claude'], schemes: ['myapp'] } as const
  const CODEX = { presets: ['codex'], schemes: ['myapp'] } as const
  const CURSOR = { presets: ['cursor'], ...DOMAINS } as const
  const CURSOR_APP = 'cursor://anysphere.cursor-mcp/oauth/callback'
  const ALWAYS = ['https://a.example/cb', 'http://localhost:1234/cb']
  const DOMAIN_APPS = ['com.example.app:/cb', 'com.googleusercontent.apps.123-abc:/oauth2redirect']

  it.each<[string, RedirectOptions, readonly string[]]>([
    ['reversed domain names', DOMAINS, [...DOMAIN_APPS, 'dev.zed.zed://oauth', ...ALWAYS]],
    ['a scheme', { schemes: ['myapp'] }, ['myapp://cb', ...ALWAYS]],
    ['no scheme', { schemes: [] }, ALWAYS],
    ['a preset and a scheme', BOTH, ['https://claude.ai/api/mcp/auth_callback', 'myapp://cb']],
    ['a preset and reversed domain names', CURSOR, ['com.example.app:/cb', CURSOR_APP]],
  ])('accepts with %s what they name', (_, options, uris) => {
    const { refusal } = createRedirectPolicy(options)
    for (const uri of uris) expect([uri, refusal(uri)]).toEqual([uri, undefined])
  })

  it.each<[string, string, RedirectOptions]>([
    ['cursor://cb', NO_DOMAIN, DOMAINS],
    ['vscode://cb', NO_DOMAIN, DOMAINS],
    ['myapp://cb', NO_DOMAIN, DOMAINS],
    ['com.:/cb', NO_DOMAIN, DOMAINS],
    ['com..app:/cb', NO_DOMAIN, DOMAINS],
    ['c0m.example:/cb', NO_DOMAIN, DOMAINS],
    ['vnd.ms.radio:/cb', NO_DOMAIN, DOMAINS],
    ['com.apple.tv:/cb', NO_DOMAIN, DOMAINS],
    ['x-apple.systempreferences://cb', NO_DOMAIN, DOMAINS],
    ['cursor://cb', NOT_CONFIGURED, { schemes: ['myapp'] }],
    ['com.example.app:/cb', NOT_CONFIGURED, { schemes: ['myapp'] }],
    ['cursor://cb', NOT_CONFIGURED, { schemes: [] }],
    ['https://a.example/cb', NO_PRESET, BOTH],
    [CURSOR_APP, NO_PRESET, BOTH],
    ['windsurf://cb', NO_PRESET, CURSOR],
    ['http://localhost/#x', 'has a fragment', CODEX],
    ['myapp:cb', 'has no slash after its scheme', CODEX],
  ])('rejects %s, which %s, with %j', (uri, error, options) => {
    verifies('native-apps/redirect-options')
    expect(createRedirectPolicy(options).refusal(uri)).toBe(error)
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

  it.each(['javascript', 'https', 'http', 'file', 'data', 'MyApp', 'my app', 'myapp:', '', '9app'])(
    'throws for the configured scheme %j',
    (scheme) => {
      expect(() => createRedirectPolicy({ schemes: [scheme] })).toThrow(TypeError)
    },
  )

  it('throws for schemes that are no list', () => {
    expect(() => createRedirectPolicy({ schemes: 'myapp' as 'reversed-domain' })).toThrow(
      new TypeError("redirects.schemes must be a list of schemes, or 'reversed-domain'"),
    )
  })

  it('throws for an unknown preset', () => {
    expect(() => createRedirectPolicy({ presets: ['toString' as 'claude'] })).toThrow(
      new TypeError('redirects.presets: there is no preset "toString"'),
    )
  })
})

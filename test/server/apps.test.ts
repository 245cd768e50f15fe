import { describe, expect, it } from 'vitest'
import { type ViewOptions, view } from '../../src/features/apps/index.ts'
import { McpServer, ResourceTemplate } from '../../src/index.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { verifies } from '../support/verifies.ts'

const HTML = '<!doctype html><title>Note</title>'
const VIEW: ViewOptions = { uri: 'ui://notes/view', html: HTML }

// Malformed views come from JavaScript or from casts: the types reject most of them.
const wrong = (value: unknown) => value as never

const create = () => new McpServer({ name: 's', version: '1' })
const register = (ui: object, config: object = {}) =>
  create().registerTool('note', { ...config, ui: view(wrong(ui)) }, () => '')

const HOLES = new Array(1)
const MIB = 1024 * 1024
const pad = (bytes: number) => HTML + ' '.repeat(bytes - HTML.length)

describe('registerTool with a malformed user interface', () => {
  const TABLE: readonly [string, object | string | null, RegExp][] = [
    ['no object', 'ui://notes/view', /view\(\) needs { uri, html } or { visibility }/],
    ['null', null, /view\(\) needs { uri, html } or { visibility }/],
    ['nothing', {}, /ui needs uri and html, or visibility/],
    ['a view without an address', { html: HTML }, /ui.html needs ui.uri/],
    ['an address of another scheme', { ...VIEW, uri: 'https://a.example/' }, /ui.uri "https/],
    ['an address in capitals', { ...VIEW, uri: 'UI://notes/view' }, /ui.uri "UI:/],
    ['an empty address', { ...VIEW, uri: 'ui://' }, /ui.uri "ui:\/\/" must be/],
    ['an address without slashes', { ...VIEW, uri: 'ui:notes' }, /ui.uri "ui:notes"/],
    ['an address with a space', { ...VIEW, uri: 'ui://notes/my view' }, /ui.uri/],
    ['an address that goes up', { ...VIEW, uri: 'ui://notes/a/../b' }, /ui.uri/],
    ['an address that is a number', { ...VIEW, uri: 3 }, /ui.uri 3/],
    ['an address that is null', { ...VIEW, uri: null }, /ui.uri null/],
    ['an address with a line end', { ...VIEW, uri: 'ui://notes/view\n' }, /ui.uri/],
    ['an address in another script', { ...VIEW, uri: 'ui://notizen/größe' }, /ui.uri/],
    ['a template as the host', { ...VIEW, uri: 'ui://{name}/view' }, /ui.uri "ui:\/\/{name}/],
    ['a template as the path', { ...VIEW, uri: 'ui://notes/{id}' }, /ui.uri "ui:/],
    ['a template as the query', { ...VIEW, uri: 'ui://notes/view?id={id}' }, /ui.uri "ui:/],
    [
      'an address that is too long to be read',
      { ...VIEW, uri: `ui://notes/${'x'.repeat(8192)}` },
      /ui.uri has 8203 characters; resources\/read accepts 8192/,
    ],
    ['empty HTML', { ...VIEW, html: '' }, /a whole document/],
    ['blank HTML', { ...VIEW, html: ' \n' }, /a whole document/],
    ['the path of a file', { ...VIEW, html: './view.html' }, /begins with <!doctype html>/],
    ['a fragment of HTML', { ...VIEW, html: '<h1>Note</h1>' }, /a whole document/],
    ['HTML that is a number', { ...VIEW, html: 3 }, /ui.html must be a text or a function/],
    ['HTML that is null', { ...VIEW, html: null }, /ui.html must be a text or a function/],
    ['HTML that is a promise', { ...VIEW, html: Promise.resolve(HTML) }, /ui.html must be a text/],
    ['HTML in bytes', { ...VIEW, html: new Uint8Array(3) }, /ui.html must be a text/],
    ['half of a character', { ...VIEW, html: `${HTML}\ud800` }, /half of a character/],
    [
      'HTML above 4 MiB',
      { ...VIEW, html: pad(4 * MIB + 1) },
      /4194305 bytes; hosts accept 4194304/,
    ],
    [
      'HTML whose bytes are above 4 MiB',
      { ...VIEW, html: HTML + 'é'.repeat(2 * MIB) },
      /bytes; hosts accept 4194304/,
    ],
    ['no audience', { ...VIEW, visibility: [] }, /ui.visibility must name/],
    ['an unknown audience', { ...VIEW, visibility: ['human'] }, /ui.visibility must be a list/],
    ['the same audience twice', { ...VIEW, visibility: ['app', 'app'] }, /ui.visibility must be/],
    ['a list of audiences with a hole', { ...VIEW, visibility: HOLES }, /ui.visibility must be/],
    ['an audience that is a text', { ...VIEW, visibility: 'app' }, /ui.visibility must be a list/],
    ['an unknown permission', { ...VIEW, permissions: ['usb'] }, /ui.permissions must be a list/],
    [
      'a permission of the browser',
      { ...VIEW, permissions: ['clipboard-write'] },
      /ui.permissions/,
    ],
    ['the same permission twice', { ...VIEW, permissions: ['camera', 'camera'] }, /ui.permissions/],
    [
      'a list of permissions with a hole',
      { ...VIEW, permissions: HOLES },
      /ui.permissions must be/,
    ],
    [
      'permissions as an object',
      { ...VIEW, permissions: { camera: {} } },
      /ui.permissions must be/,
    ],
    ['an inherited name as permission', { ...VIEW, permissions: ['toString'] }, /ui.permissions/],
    ['a border that is a text', { ...VIEW, prefersBorder: 'yes' }, /ui.prefersBorder must be true/],
    ['an empty domain', { ...VIEW, domain: '' }, /ui.domain must be a text without spaces/],
    ['a domain with a line end', { ...VIEW, domain: 'a.example\n' }, /ui.domain must be/],
    ['a title that is a number', { ...VIEW, title: 3 }, /ui.title must be a string/],
    ['a time below zero', { ...VIEW, ttlMs: -1 }, /ui: ttlMs must be an integer/],
    ['a scope of the cache', { ...VIEW, cacheScope: 'shared' }, /ui: cacheScope must be/],
    [
      'a policy that is a list',
      { ...VIEW, csp: ['https://a.example'] },
      /ui.csp must be an object/,
    ],
    ['a policy that is null', { ...VIEW, csp: null }, /ui.csp must be an object/],
    [
      'a redirect to a path',
      { ...VIEW, csp: { redirectDomains: ['https://a.example/x'] } },
      /csp.redirectDomains/,
    ],
    ['an invocation that is a text', { ...VIEW, invocation: 'Searching' }, /ui.invocation must be/],
    ['an unknown invocation', { ...VIEW, invocation: { running: 'x' } }, /ui.invocation has/],
    ['a long invocation', { ...VIEW, invocation: { invoked: 'x'.repeat(65) } }, /64 characters/],
    ['an unknown directive', { ...VIEW, csp: { scriptDomains: [] } }, /csp.scriptDomains does not/],
    ['an inherited directive', { ...VIEW, csp: { toString: [] } }, /csp.toString does not exist/],
    [
      'a directive that is a text',
      { ...VIEW, csp: { connectDomains: 'https://a.example' } },
      /list/,
    ],
    ['a policy without a view', { uri: VIEW.uri, csp: { connectDomains: [] } }, /needs ui.html/],
  ]

  it.each(TABLE)('refuses %s', (_, ui, message) => {
    verifies('apps/address-of-a-view', { row: 'an address of another scheme' })
    verifies('apps/view-is-a-document', { row: 'a fragment of HTML' })
    expect(() => register(ui as object)).toThrow(message)
  })

  const ORIGINS: readonly unknown[] = [
    'a.example',
    'https://a.example/',
    'https://a.example/x',
    'https://a.example?x',
    'https://A.example',
    'https://a.example:443',
    'https://user@a.example',
    'https://a.example https://b.example',
    'https://a.example; script-src *',
    'https://a.example;script-src-elem',
    'https://a.example,default-src',
    "https://a'unsafe-inline'.example",
    'https://a"b.example',
    'https://a$b.example',
    'https://a_b.example',
    'https://.example.com',
    'https://a..example',
    'https://[::1]:8443',
    'https://[::]',
    'https://bücher.example',
    'https://a\u00ad.example',
    'https://a.example:65536',
    'https://a.example:*',
    'https://a.example\\x',
    'https://a.example#',
    'https://*.192.0.2.1',
    'https://*.localhost',
    'filesystem:https://a.example',
    'https://a.example,https://b.example',
    'https://*',
    'https://*.com',
    'https://*.*.example.com',
    'https://a.*.example.com',
    'https://a*.example.com',
    '*',
    "'self'",
    "'unsafe-eval'",
    'data:',
    'blob:',
    'https:',
    'null',
    'javascript://a.example',
    'ftp://a.example',
    'https://a.example\n',
    ' https://a.example',
    '',
    null,
    undefined,
    3,
  ]

  it.each(ORIGINS)('refuses the entry %j of a policy, which is no origin', (origin) => {
    for (const name of ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains']) {
      const csp = { [name]: ['https://good.example', origin] }
      expect(() => register({ ...VIEW, csp })).toThrow(/must be an origin like/)
    }
  })

  it('refuses the origin of a WebSocket where a view cannot connect', () => {
    const csp = { resourceDomains: ['wss://a.example'] }
    expect(() => register({ ...VIEW, csp })).toThrow(/csp.resourceDomains: "wss:/)
  })

  it('refuses _meta.ui beside the option ui', () => {
    for (const _meta of [{ ui: {} }, { 'ui/resourceUri': 'ui://notes/view' }]) {
      expect(() => register(VIEW, { _meta })).toThrow(/leave it out of _meta/)
    }
  })

  it('names the tool and registers nothing', () => {
    const server = create()
    const bad = { ui: view({ ...VIEW, permissions: wrong(['usb']) }) }
    expect(() => server.registerTool('note', bad, () => '')).toThrow(/^Tool "note": /)
    expect(() => server.registerTool('note', { ui: view(VIEW) }, () => '')).not.toThrow()
  })

  it('refuses an address that is registered, and registers nothing', () => {
    const server = create().registerTool('note', { ui: view(VIEW) }, () => '')
    expect(() => server.registerTool('other', { ui: view(VIEW) }, () => '')).toThrow(
      'Resource ui://notes/view is already registered',
    )
    expect(() =>
      server.registerTool('other', { ui: view({ uri: 'ui://notes/view' }) }, () => ''),
    ).not.toThrow()
  })
})

describe('registerTool with a user interface', () => {
  it.each([
    'https://a.example',
    'https://*.example.com',
    'https://a.example:8443',
    'http://localhost:5173',
    'http://127.0.0.1',
    'https://xn--bcher-kva.example',
    'https://*.example.com:8443',
  ])('accepts the origin %s in every directive', (origin) => {
    const csp = {
      connectDomains: [origin],
      resourceDomains: [origin],
      frameDomains: [origin],
      baseUriDomains: [origin],
    }
    expect(() => register({ ...VIEW, csp })).not.toThrow()
  })

  it('accepts HTML of 4 MiB, and a document type in capitals after white space', () => {
    expect(() => register({ ...VIEW, html: pad(4 * MIB) })).not.toThrow()
    expect(() => register({ ...VIEW, html: '\ufeff\n<!DOCTYPE HTML>\n<p>Note' })).not.toThrow()
  })
})

describe('createEdgeway with a tool that names a view', () => {
  const named = (uri: unknown) =>
    create().registerTool('note', { _meta: { ui: { resourceUri: uri } } }, () => '')

  it('refuses an address that no resource answers', () => {
    verifies('apps/view-exists')
    const message = 'Tool "note": no resource answers ui.uri ui://notes/none'
    expect(() => createFullEdgeway(named('ui://notes/none'))).toThrow(message)
    const flat = create().registerTool(
      'note',
      { _meta: { 'ui/resourceUri': 'ui://notes/none' } },
      () => '',
    )
    expect(() => createFullEdgeway(flat)).toThrow(message)
    const shared = create().registerTool('note', { ui: view({ uri: 'ui://notes/none' }) }, () => '')
    expect(() => createFullEdgeway(shared)).toThrow(message)
  })

  it('refuses an address of another scheme in _meta', () => {
    expect(() => createFullEdgeway(named('https://a.example/'))).toThrow(/ui.uri "https/)
    expect(() => createFullEdgeway(named(3))).toThrow(/ui.uri 3/)
  })

  it('accepts the view of another tool, a resource and a template that answer the address', () => {
    const tool = named('ui://notes/view').registerTool('other', { ui: view(VIEW) }, () => '')
    expect(() => createFullEdgeway(tool)).not.toThrow()
    const resource = named('ui://notes/view').registerResource(
      'v',
      'ui://notes/view',
      {},
      () => HTML,
    )
    expect(() => createFullEdgeway(resource)).not.toThrow()
    const template = new ResourceTemplate('ui://notes/{name}', { list: undefined })
    expect(() =>
      createFullEdgeway(named('ui://notes/view').registerResource('v', template, {}, () => HTML)),
    ).not.toThrow()
  })

  it('accepts a view of the server that includes the tool', () => {
    const server = create().registerTool('other', { ui: view(VIEW) }, () => '')
    expect(() => createFullEdgeway(server.include(named('ui://notes/view')))).not.toThrow()
  })

  it('accepts a tool without a view that only views call', () => {
    expect(() => createFullEdgeway(register({ visibility: ['app'] }))).not.toThrow()
  })
})

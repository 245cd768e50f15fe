import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ResourceTemplate } from '../../src/index.ts'
import { expandUriTemplate } from '../../src/server/uri-template/expand.ts'
import { matchUriTemplate } from '../../src/server/uri-template/match.ts'
import { parseUriTemplate } from '../../src/server/uri-template/parse.ts'

/** @see https://www.rfc-editor.org/rfc/rfc6570#section-3.2 */
const VALUES = {
  var: 'value',
  hello: 'Hello World!',
  half: '50%',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empties: [],
  undef: undefined,
}

describe('expandUriTemplate', () => {
  const RFC: readonly [string, string][] = [
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,y}', '1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['?{x,empty}', '?1024,'],
    ['?{x,undef}', '?1024'],
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{list}', 'red,green,blue'],
    ['{list*}', 'red,green,blue'],
    ['{+var}', 'value'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['{+path}/here', '/foo/bar/here'],
    ['{+path:6}/here', '/foo/b/here'],
    ['{#x,hello,y}', '#1024,Hello%20World!,768'],
    ['{#path,x}/here', '#/foo/bar,1024/here'],
    ['X{.var}', 'X.value'],
    ['X{.empty}', 'X.'],
    ['X{.undef}', 'X'],
    ['X{.list*}', 'X.red.green.blue'],
    ['{/who}', '/fred'],
    ['{/half,who}', '/50%25/fred'],
    ['{/var,empty}', '/value/'],
    ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
    ['{;x,y}', ';x=1024;y=768'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{;hello:5}', ';hello=Hello'],
    ['{;list*}', ';list=red;list=green;list=blue'],
    ['{?x,y}', '?x=1024&y=768'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{?list}', '?list=red,green,blue'],
    ['{?list*}', '?list=red&list=green&list=blue'],
    ['{?empties}', ''],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{&var:3}', '&var=val'],
  ]
  it.each(RFC)('expands %s to %s', (template, expanded) => {
    expect(expandUriTemplate(parseUriTemplate(template), VALUES)).toBe(expanded)
  })
})

describe('matchUriTemplate', () => {
  const MATCHES: readonly [string, string, Record<string, unknown> | undefined][] = [
    ['note://{id}', 'note://a', { id: 'a' }],
    ['note://{id}', 'note://a/b', undefined],
    ['note://{id}', 'note://', undefined],
    ['note://{id}', 'note://a%2Fb', { id: 'a/b' }],
    ['note://{id}', 'note://gr%C3%BC%C3%9Fe', { id: 'grüße' }],
    ['note://{id}', 'note://50%', undefined],
    ['note://{id}', 'note://%ff', undefined],
    ['note://{id}', 'note://a,b', { id: 'a,b' }],
    ['note://{id}', 'note://a?b', undefined],
    ['{id}.md', 'a.md.md', { id: 'a.md' }],
    ['f/{+path}/raw', 'f/a/raw/b/raw', { path: 'a/raw/b' }],
    ['f/{a}/x/{b}', 'f/1/x/2', { a: '1', b: '2' }],
    ['f/{a}-{b}', 'f/1-2-3', { a: '1', b: '2-3' }],
    ['p{/tag*}', 'p', { tag: [] }],
    ['p{/tag*}', 'p/a/b', { tag: ['a', 'b'] }],
    ['p{/tag*}', 'p/a%2Fb', { tag: ['a/b'] }],
    ['p{/a,b}', 'p/1', { a: '1' }],
    ['p{/a,b}', 'p/1/2', { a: '1', b: '2' }],
    ['p{/a,b}', 'p/1/2/3', undefined],
    ['p{/a}/lit', 'p/x/lit', { a: 'x' }],
    ['p{.ext}', 'p.tar', { ext: 'tar' }],
    ['p{?q,page}', 'p', {}],
    ['p{?q,page}', 'p?page=2&q=a%20b', { q: 'a b', page: '2' }],
    ['p{?q}', 'p?other=1', undefined],
    ['p{?q}', 'p?q=1&q=2', undefined],
    ['p{?tag*}', 'p?tag=1&tag=2', { tag: ['1', '2'] }],
    ['p{;x}', 'p;x=1', { x: '1' }],
    ['p{/tag*}{;x}', 'p;x=1', { tag: [], x: '1' }],
    ['p{?q}{&page}', 'p&page=2', { page: '2' }],
    ['p{?a,b}{&c}', 'p?a=1&b=2&c=3', { a: '1', b: '2', c: '3' }],
    ['p{?a,b}{&c}', 'p?b=2&c=3', { b: '2', c: '3' }],
    ['p{?a,b}{&c}', 'p?a=1&c=3&b=2', undefined],
    ['p{?a,b}{&c}', 'p?c=3', undefined],
    ['p{?a*}{&c}', 'p?a=1&a=2&c=3', { a: ['1', '2'], c: '3' }],
    ['p{;a,b}{;c}', 'p;a=1;b;c=3', { a: '1', b: '', c: '3' }],
    ['p{#f}', 'p#a/b', { f: 'a/b' }],
    ['{+path}{?q}', 'a/b?q=1', { path: 'a/b', q: '1' }],
    ['{x,y}', '1,2', { x: '1', y: '2' }],
    ['{v:3}', 'abcd', undefined],
    ['note://{__proto__}', 'note://x', undefined],
    ['none', 'none', {}],
    ['none', 'nonesuch', undefined],
  ]
  it.each(MATCHES)('matches %s against %s with the variables %j', (template, uri, expected) => {
    const found = matchUriTemplate(parseUriTemplate(template), uri)
    if (template.includes('__proto__')) expect(Object.getPrototypeOf(found)).toBeNull()
    else expect(found && { ...found }).toEqual(expected)
  })

  it('extracts the values that the template was expanded with', () => {
    const template = parseUriTemplate('note://{book}/{id}{/tag*}{?q,page}')
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(text, { maxLength: 4 }),
        fc.option(text, { nil: undefined }),
        (book, id, tag, q) => {
          const found = matchUriTemplate(
            template,
            expandUriTemplate(template, { book, id, tag, q }),
          )
          expect({ ...found }).toEqual({ book, id, tag, ...(q !== undefined && { q }) })
        },
      ),
      { numRuns: 300 },
    )
  })

  it('matches in time linear in the length of the URI', () => {
    const templates = ['{+a}/{+b}/{+c}/{+d}/end', 'x{/a*}{?q*}', '{a}.{b}.{c}.md'].map(
      parseUriTemplate,
    )
    const attacks = ['/', '.', 'a/', '%2', 'q=&', ',', '{'].map((unit) =>
      unit.repeat(8192 / unit.length).slice(0, 8192),
    )
    const started = performance.now()
    for (let round = 0; round < 20; round++) {
      for (const template of templates)
        for (const attack of attacks) matchUriTemplate(template, attack)
    }
    // 420 matches of 8 KiB: a few milliseconds each if linear, minutes each if not.
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

describe('a template that does not match the URIs that it expands to', () => {
  it.each(['file://{/dirs*}/{name}', 'tags://{tag*},{last}', 'x://{a}.{b}{.c}.{d}', 'x://ü/{id}'])(
    'is refused at registration: %s',
    (template) => {
      expect(() => new ResourceTemplate(template, { list: undefined })).toThrow(
        /^URI template ".*" does not match its own URI /,
      )
    },
  )

  it.each([
    'file:///{+path}',
    'note://{book}/{id}{/tag*}{?q,page}',
    'x://a{b:2}c{d}',
    'p{?a,b}{&c}',
    'x://{list*}',
    'x://xabc/{x}',
    'x://{+path}/raw',
    'none',
  ])('is no other one, such as %s', (template) => {
    expect(new ResourceTemplate(template, { list: undefined }).uriTemplate.source).toBe(template)
  })
})

describe('parseUriTemplate with a malformed template', () => {
  it.each([
    '{',
    '}',
    'a{b',
    'a}b',
    '{}',
    '{a b}',
    '{a}{b}',
    '{a}{+b}',
    '{a}x{a}',
    '{!a}',
    '{a:0}',
    '{a:99999}',
    '{a**}',
    '{=a}',
    '{a,}',
    `${'x'.repeat(2049)}`,
    '{a}/'.repeat(1) + Array.from({ length: 33 }, (_, i) => `{v${i}}`).join('/'),
  ])('throws a TypeError for %s', (template) => {
    expect(() => parseUriTemplate(template)).toThrow(TypeError)
  })
})

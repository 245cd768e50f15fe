/** What a contract contains, and what the differences of two servers are called. */
import { describe, expect, it } from 'vitest'
import { compareContracts, differenceText } from '../../src/contract/compare/compare-contracts.ts'
import { createContract } from '../../src/contract/contract.ts'
import { contractText, readContract } from '../../src/contract/contract-file.ts'
import { countTokens } from '../../src/contract/count-tokens.ts'
import { differencesText } from '../../src/contract/report.ts'
import { contractOf, differences, EMPTY, TODAY, tool } from './surfaces.ts'

describe('a contract', () => {
  const surface = {
    info: { name: 'shop', version: '1.0.0', title: 'Shop' },
    instructions: 'Search first.',
    tools: [tool('b'), tool('a')],
    prompts: [{ name: 'p' }],
    resources: [{ name: 'r', uri: 'r://1' }],
  }

  it('is the same text for the same definition in another order', () => {
    const reordered = {
      ...surface,
      tools: [
        tool('a'),
        { inputSchema: tool('b').inputSchema, description: tool('b').description ?? '', name: 'b' },
      ],
    }
    expect(contractText(contractOf(reordered))).toBe(contractText(contractOf(surface)))
  })

  // As one word, they take more than a minute.
  it.for(['a', ' ', 'é', '}'])('counts 300,000 times %j in seconds', (sign) => {
    const startedAt = Date.now()
    const tokens = countTokens(sign.repeat(300_000))
    expect(tokens).toBeGreaterThan(1000)
    expect(Date.now() - startedAt).toBeLessThan(20_000)
  })

  it('does not change with the version of the server', () => {
    const info = { ...surface.info, version: '2.0.0' }
    expect(contractText(contractOf({ ...surface, info }))).toBe(contractText(contractOf(surface)))
  })

  it('has sorted entries with their fingerprints, bytes and tokens', () => {
    const { servers } = contractOf({ tools: [tool('b'), tool('a')] })
    expect(servers[0]?.tools.map(({ definition }) => definition.name)).toEqual(['a', 'b'])
    expect(servers[0]?.tools[0]).toEqual({
      bytes: 108,
      definition: tool('a'),
      fingerprint: 'sha256:d52fa65b7445668cac10d969bc1626db1c0f2778ec1f4a60e0cf3c94bb0f0419',
      tokens: 28,
    })
  })

  it('has members in the order of RFC 8785, also those that are named as integers', () => {
    const properties = {
      10: {},
      9: {},
      b: {},
      a: {},
      '\u20ac': {},
      '\ud83d\ude00': {},
      '\ufb33': {},
    }
    const text = contractText(
      contractOf({ tools: [tool('t', { inputSchema: { type: 'object', properties } })] }),
    )
    const names = [...text.matchAll(/"([^"]+)": \{\}/g)].map(([, name]) => name)
    expect(names).toEqual(['10', '9', 'a', 'b', '\u20ac', '\ud83d\ude00', '\ufb33'])
  })

  it('counts names of special tokens as text, and long texts in time', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1)
    expect(countTokens('a'.repeat(50_000))).toBeGreaterThan(1_000)
  })

  it('keeps a member named __proto__', () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}}')
    const text = contractText(
      contractOf({ tools: [tool('t', { inputSchema: { type: 'object', properties } })] }),
    )
    expect(text).toContain('"__proto__": {')
    const read = readContract(text)
    expect(read).toMatchObject({ state: 'read', isIntact: true })
  })

  it('reads back as it was written, also in another layout', () => {
    const contract = contractOf(surface)
    const text = contractText(contract)
    expect(readContract(text)).toEqual({ state: 'read', contract, isIntact: true })
    expect(readContract(JSON.stringify(JSON.parse(text), undefined, '\t'))).toMatchObject({
      state: 'read',
      isIntact: true,
    })
  })

  it.each([
    ['was changed by hand', (text: string) => text.replace('Does a.', 'Does A.'), 'read'],
    ['has the marks of a merge', (text: string) => `<<<<<<< HEAD\n${text}`, 'damaged'],
    ['lacks a list', (text: string) => text.replace('"prompts"', '"prompt"'), 'damaged'],
    [
      'has an entry of the wrong form',
      (text: string) => text.replace('"definition"', '"x"'),
      'damaged',
    ],
    ['is of another program', () => '{"consumer": {}}', 'foreign'],
    ['is no JSON', () => 'contract', 'foreign'],
    ['is a list', () => '[]', 'foreign'],
    ['is nested without end', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'foreign'],
    [
      'is of a newer version',
      (text: string) => text.replace('"contract": 1', '"contract": 2'),
      'foreign',
    ],
  ])('is not taken for intact when it %s', (_, change, state) => {
    const read = readContract(change(contractText(contractOf(surface))))
    expect(read.state).toBe(state)
    if (read.state === 'read') expect(read.isIntact).toBe(false)
  })
})

describe('the text of differences', () => {
  it('has no control character of a running server', () => {
    const found = compareContracts(
      contractOf({ tools: [tool('a', { annotations: { readOnlyHint: true } })] }),
      contractOf({ tools: [tool('a', { annotations: { readOnlyHint: '\u001b[2J' as never } })] }),
      { today: TODAY },
    )
    const text = differencesText(found)
    expect(text).toMatch(/^breaking \(1\)\n {2}tool "a": annotations\.readOnlyHint is /)
    expect(text).not.toContain('\u001b')
  })
})

describe('differences of servers', () => {
  const source = (audience: string, paths: readonly string[]) => ({
    audience,
    paths,
    surface: EMPTY,
  })
  const contract = (...sources: ReturnType<typeof source>[]) => createContract(sources, countTokens)

  it('name servers and paths that were removed or added', () => {
    const before = contract(source('a', ['/mcp', '/v1']), source('b', ['/docs']))
    const after = contract(source('a', ['/mcp', '/v2']), source('c', ['/other']))
    const found = compareContracts(before, after, { today: TODAY })
    expect(found.map((one) => `${one.server}: ${one.kind}: ${differenceText(one)}`)).toEqual([
      'a (/mcp, /v2): breaking: server: path /v1 is not served any more',
      'a (/mcp, /v2): additive: server: path /v2 is served too',
      'b (/docs): breaking: server is removed',
      'c (/other): additive: server is new',
    ])
  })

  it('know a server by a pattern that has its path, under other names of its parameters', () => {
    const before = contract(source('a', ['/mcp/{org}', '/mcp/x/y']), source('b', ['/acme/mcp']))
    const after = contract(source('0', ['/{org}/mcp']), source('a', ['/mcp/{team}', '/mcp/{x}/y']))
    const found = compareContracts(before, after, { today: TODAY })
    expect(found.map((one) => `${one.server}: ${one.kind}: ${differenceText(one)}`)).toEqual([
      'a (/mcp/{team}, /mcp/{x}/y): textual: server: path /mcp/{org} is one of /mcp/{team} now',
      'a (/mcp/{team}, /mcp/{x}/y): textual: server: path /mcp/x/y is one of /mcp/{x}/y now',
      'a (/mcp/{team}, /mcp/{x}/y): additive: server: path /mcp/{team} is served too',
      'a (/mcp/{team}, /mcp/{x}/y): additive: server: path /mcp/{x}/y is served too',
      '0 (/{org}/mcp): textual: server: audience is another',
      '0 (/{org}/mcp): textual: server: path /acme/mcp is one of /{org}/mcp now',
      '0 (/{org}/mcp): additive: server: path /{org}/mcp is served too',
    ])
    const both = contract(source('0', ['/{org}/mcp']), source('b', ['/acme/mcp']))
    expect(compareContracts(both, both, { today: TODAY })).toEqual([])
  })

  it('know a server by its audience when all its paths have changed', () => {
    const [before, after] = [contract(source('a', ['/mcp'])), contract(source('a', ['/v2']))]
    expect(compareContracts(before, after, { today: TODAY }).map(differenceText)).toEqual([
      'server: path /mcp is not served any more',
      'server: path /v2 is served too',
    ])
  })

  it('name texts of the server', () => {
    expect(differences({ instructions: 'A' }, { instructions: 'B' })).toEqual([
      'textual: server: instructions is another',
    ])
  })
})

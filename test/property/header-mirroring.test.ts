/** `x-mcp-header` and `Mcp-Param-*`: what a client mirrors as specified is accepted, and nothing else. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import type { RequestMessage } from '../../src/protocol/json-rpc.ts'
import { compileSchema } from '../../src/server/schema/compile.ts'
import { jsonSchema } from '../../src/server/schema/json-schema.ts'
import { type ParamHeader, ParamHeaderCollector } from '../../src/server/schema/param-headers.ts'
import {
  checkNameHeader,
  checkParamHeaders,
  decodeHeaderValue,
  sameValue,
} from '../../src/transport/modern/mirrored-headers.ts'
import { Refusal } from '../../src/transport/refusal.ts'
import { verifies } from '../support/verifies.ts'
import { runs } from './settings.ts'

/**
 * Encodes a value as a client does.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
function mirror(value: string | number | boolean): string {
  const text = String(value)
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text)
  if (isPlain && !/^=\?base64\?.*\?=$/.test(text)) return text
  return `=?base64?${new TextEncoder().encode(text).toBase64()}?=`
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...' \t=?base64a'), maxLength: 12 }),
  fc.constantFrom('=?base64?QQ==?=', '=?base64??=', '1', '1.0', 'true', ' a ', ''),
)
const value = fc.oneof(text, fc.maxSafeInteger(), fc.boolean())

/** The arguments of a tool: objects in objects, with the values that headers repeat at the leaves. */
type Tree = { readonly [name: string]: Tree | string | number | boolean }
const name = fc.oneof(text, fc.constantFrom('a', 'constructor', '__proto__', 'properties'))
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc
    .array(fc.tuple(name, fc.oneof({ depthSize: 'small', maxDepth: 3 }, value, tie('tree'))), {
      maxLength: 3,
    })
    .map((entries) => Object.fromEntries(entries)),
}))

/** The schema of a tree: each value has a header of its own, numbered in order. */
function schemaOf(node: Tree | string | number | boolean, next = { header: 0 }): JsonObject {
  if (typeof node === 'object') {
    const entries = Object.entries(node)
    const properties = entries.map(([key, child]) => [key, schemaOf(child, next)] as const)
    return { type: 'object', properties: Object.fromEntries(properties) }
  }
  const type = typeof node === 'number' ? 'integer' : typeof node
  return { type, 'x-mcp-header': `H-${next.header++}` }
}

const leavesOf = (node: Tree): (string | number | boolean)[] =>
  Object.values(node).flatMap((child) => (typeof child === 'object' ? leavesOf(child) : [child]))

function collect(schema: JsonObject): readonly ParamHeader[] {
  const collector = new ParamHeaderCollector()
  compileSchema(jsonSchema(schema), 'input', (part, path) => collector.visit(part, path))
  return collector.headers
}

function refusalOf(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.name
    throw error
  }
}

const call = (args: JsonValue | Tree): RequestMessage => ({
  kind: 'request',
  id: 1,
  method: 'tools/call',
  params: { name: 't', arguments: args as JsonObject },
})

describe('a mirrored value', () => {
  it('is equal to the value of the body after a client has encoded it', () => {
    verifies('request-headers/values-are-decoded')
    fc.assert(
      fc.property(value, (original) => {
        const received = new Headers({ 'mcp-param-x': mirror(original) }).get('mcp-param-x') ?? ''
        const decoded = decodeHeaderValue(received)
        expect(decoded).toBe(String(original))
        expect(sameValue(String(decoded), original)).toBe(true)
      }),
      runs(1000),
    )
  })

  it('is equal to no other value of the same type', () => {
    verifies('request-headers/ambiguous-values-are-encoded')
    const pair = fc.oneof(
      fc.tuple(text, text),
      fc.tuple(fc.maxSafeInteger(), fc.maxSafeInteger()),
      fc.tuple(fc.boolean(), fc.boolean()),
    )
    fc.assert(
      fc.property(pair, ([one, other]) => {
        expect(sameValue(String(decodeHeaderValue(mirror(one))), other)).toBe(one === other)
      }),
      runs(1000),
    )
  })

  it('is undefined for a header that is no output of an encoder', () => {
    verifies('request-headers/markers-are-exact', 'request-headers/invalid-characters-are-refused')
    const anyHeader = fc.string({
      unit: fc.constantFrom(...'=?base64AQg', '\u00e9'),
      maxLength: 16,
    })
    fc.assert(
      fc.property(
        fc.oneof(
          anyHeader,
          anyHeader.map((body) => `=?base64?${body}?=`),
        ),
        (header) => {
          const decoded = decodeHeaderValue(header)
          if (decoded === undefined) return
          if (decoded === header) {
            expect(header).toMatch(/^(?!=\?base64\?.*\?=$)[\t\x20-\x7e]*$/)
            return
          }
          expect(`=?base64?${new TextEncoder().encode(decoded).toBase64()}?=`).toBe(header)
        },
      ),
      runs(1500),
    )
  })
})

describe('checkParamHeaders', () => {
  it('accepts the headers that a client derives from the schema, for arguments of any shape', () => {
    verifies('request-headers/absent-values-need-no-header')
    fc.assert(
      fc.property(tree, (args) => {
        const headers = new Headers(
          leavesOf(args).map((leaf, at) => [`mcp-param-h-${at}`, mirror(leaf)]),
        )
        const params = collect(schemaOf(args))
        expect(params).toHaveLength(leavesOf(args).length)
        expect(refusalOf(() => checkParamHeaders(call(args), headers, params))).toBeUndefined()
      }),
      runs(500),
    )
  })

  it('refuses the request when one header is missing, other or added', () => {
    verifies('request-headers/values-match-the-body')
    fc.assert(
      fc.property(
        tree.filter((args) => leavesOf(args).length > 0),
        fc.nat(),
        fc.option(value),
        (args, index, other) => {
          const leaves = leavesOf(args)
          const at = index % leaves.length
          const leaf = leaves[at]
          // A header may write a number in another way, such as `1.0`.
          fc.pre(
            typeof leaf === 'number' ? Number(other ?? '') !== leaf : String(leaf) !== `${other}`,
          )
          const headers = new Headers(
            leaves.map((own, place) => [`mcp-param-h-${place}`, mirror(own)]),
          )
          if (other === null) headers.delete(`mcp-param-h-${at}`)
          else headers.set(`mcp-param-h-${at}`, mirror(other))
          const params = collect(schemaOf(args))
          const check = (body: RequestMessage) => () => checkParamHeaders(body, headers, params)
          expect(refusalOf(check(call(args)))).toBe('header-mismatch')
          if (headers.keys().next().done !== true) {
            expect(refusalOf(check(call({})))).toBe('header-mismatch')
          }
        },
      ),
      runs(500),
    )
  })
})

describe('checkNameHeader', () => {
  it('accepts a name exactly when the header is its encoded form', () => {
    verifies('request-headers/name-header-is-encoded')
    const method = fc.constantFrom('tools/call', 'prompts/get', 'resources/read')
    fc.assert(
      fc.property(method, text, text, (called, own, sent) => {
        const nameParam = called === 'resources/read' ? 'uri' : 'name'
        const params = { [nameParam]: own }
        const message: RequestMessage = { kind: 'request', id: 1, method: called, params }
        const headers = new Headers({ 'mcp-name': mirror(sent) })
        const refusal = refusalOf(() =>
          checkNameHeader(message, { run: () => '', nameParam }, headers),
        )
        expect(refusal).toBe(own === sent ? undefined : 'header-mismatch')
      }),
      runs(800),
    )
  })
})

/** The wire form of the modern revision: bodies as they are, in an envelope. */

import { describe, expect, it } from 'vitest'
import { askParams } from '../../../src/protocol/codec/ask-params.ts'
import { createModernCodec } from '../../../src/protocol/codec/modern.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { verifies } from '../../support/verifies.ts'

const INFO = { name: 'notes', version: '1.0.0', title: 'Notes', icons: [{ src: 'data:,x' }] }
const codec = createModernCodec(INFO)

const SERVER = '"io.modelcontextprotocol/serverInfo":{"name":"notes","version":"1.0.0"}'

describe('the modern codec', () => {
  const META = { 'a.example/key': 1 }
  const BLOCK = {
    type: 'resource_link',
    uri: 'note://a',
    name: 'a',
    title: 'A',
    icons: [{ src: 'data:,x' }],
    annotations: { lastModified: '2026-01-01T00:00:00Z' },
    _meta: META,
  } as const

  it('passes definitions through', () => {
    const tool = {
      name: 'add',
      title: 'Add',
      inputSchema: { properties: { a: true } },
      outputSchema: { type: 'array' },
      annotations: { readOnlyHint: true },
      icons: [{ src: 'data:,x' }],
      _meta: META,
    }
    expect(codec.listItem('tools/list', tool)).toBe(tool)
  })

  it.each([
    ['a tool result', codec.callToolResult, { content: [BLOCK], structuredContent: [1] }],
    [
      'the contents of a resource',
      codec.readResourceResult,
      { contents: [{ uri: 'note://a', text: 'a', _meta: META }] },
    ],
    ['a prompt', codec.getPromptResult, { messages: [{ role: 'user', content: BLOCK }] }],
    ['a completion', codec.completeResult, { completion: { values: ['a'] } }],
    ['capabilities', codec.capabilities, { completions: {}, extensions: { 'a.example/x': {} } }],
    ['the implementation', codec.implementation, INFO],
  ] as const)('passes %s through', (_, write, value) => {
    expect((write as (value: unknown) => unknown)(value)).toBe(value)
  })

  it('writes progress with its message', () => {
    expect(codec.progressParams('t', { progress: 1, total: 2, message: 'half' })).toStrictEqual({
      progressToken: 't',
      progress: 1,
      total: 2,
      message: 'half',
    })
  })

  it('identifies an elicitation by URL, by its own id if it has one', () => {
    const params = { mode: 'url', url: 'https://a.example/' }
    const own = { ...params, elicitationId: 'own-id' }
    const ask = (asked: JsonObject) =>
      askParams(codec.revision, 'elicitation/create', asked, 'made-up')
    expect([ask(params), ask(own)]).toEqual([{ ...params, elicitationId: 'made-up' }, own])
  })

  it('gives a form no id of an elicitation', () => {
    const form = { mode: 'form', message: 'Who?' }
    const ask = { ...form, elicitationId: 'own-id' }
    expect(askParams(codec.revision, 'elicitation/create', ask, 'made-up')).toEqual(form)
  })

  it.each([
    [-32002, -32602],
    [-32601, -32601],
    [-32020, -32020],
  ] as const)('writes the error code %i as %i', (code, written) => {
    verifies('base-protocol/error-codes-are-integers')
    expect(codec.errorCode(code)).toBe(written)
  })
})

describe('a result of the modern codec', () => {
  it.each([
    ['without a body', {}, undefined, `{"resultType":"complete","_meta":{${SERVER}}}`],
    [
      'with a body',
      { content: [] },
      undefined,
      `{"content":[],"resultType":"complete","_meta":{${SERVER}}}`,
    ],
    [
      'with cache hints and no body',
      {},
      { ttlMs: 0, cacheScope: 'private' },
      `{"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{${SERVER}}}`,
    ],
    [
      'with cache hints',
      { tools: [] },
      { ttlMs: 1000, cacheScope: 'public' },
      `{"tools":[],"ttlMs":1000,"cacheScope":"public","resultType":"complete","_meta":{${SERVER}}}`,
    ],
    [
      'with _meta of the author',
      { content: [], _meta: { 'a.example/key': 1 } },
      undefined,
      `{"content":[],"_meta":{"a.example/key":1,${SERVER}},"resultType":"complete"}`,
    ],
    [
      'with _meta of the author and cache hints',
      { _meta: {} },
      { ttlMs: 1, cacheScope: 'public' },
      `{"_meta":{${SERVER}},"ttlMs":1,"cacheScope":"public","resultType":"complete"}`,
    ],
    [
      'with _meta that is no object',
      { _meta: 'x' },
      undefined,
      `{"_meta":{${SERVER}},"resultType":"complete"}`,
    ],
    [
      'with a server info of the author',
      { _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'own' } } },
      undefined,
      '{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"own"}},"resultType":"complete"}',
    ],
    [
      'with a server info of the author that is no object',
      { _meta: { 'io.modelcontextprotocol/serverInfo': 'own' } },
      undefined,
      `{"_meta":{${SERVER}},"resultType":"complete"}`,
    ],
  ] as const)('is written %s', (_, body, cache, text) => {
    verifies('base-protocol/result-has-a-result-type')
    verifies('meta/reserved-keys-are-not-assumed', {
      row: 'with a server info of the author that is no object',
    })

    expect(codec.resultText(body, cache)).toBe(text)
  })

  it.each([
    ['becomes a text', { toJSON: () => 'x' }],
    ['becomes a list', { toJSON: () => [] }],
    ['becomes null', { toJSON: () => null }],
    ['becomes nothing', { toJSON: () => undefined }],
    ['holds a bigint', { a: 1n }],
  ])('is a TypeError for a body that %s', (_, body) => {
    expect(() => codec.resultText(body)).toThrow(TypeError)
  })
})

describe('an input-required result of the modern codec', () => {
  it('holds each ask under its key, the state and the server', () => {
    const requests = {
      who: {
        method: 'elicitation/create',
        params: { mode: 'form', message: 'Who?', elicitationId: 'x' },
      },
      roots: { method: 'roots/list' },
    }
    expect(JSON.parse(codec.inputRequiredText?.(requests, 'sealed') ?? '')).toEqual({
      resultType: 'input_required',
      inputRequests: {
        who: { method: 'elicitation/create', params: { mode: 'form', message: 'Who?' } },
        roots: { method: 'roots/list', params: {} },
      },
      requestState: 'sealed',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'notes', version: '1.0.0' } },
    })
  })

  it('leaves out a state that is undefined', () => {
    expect(codec.inputRequiredText?.({}, undefined)).toBe(
      `{"resultType":"input_required","inputRequests":{},"_meta":{${SERVER}}}`,
    )
  })
})

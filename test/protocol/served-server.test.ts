import { describe, expect, it } from 'vitest'
import { isSameServer, serverLabel, serverText } from '../../src/protocol/served-server.ts'

const NOTES = serverText('notes', ['/mcp', '/other'])

describe('isSameServer', () => {
  it.each([
    ['the same text', NOTES],
    ['a path less', '["notes","/other"]'],
    ['a path more', '["notes","/v2","/mcp"]'],
  ])('is true for %s', (_, other) => {
    expect([isSameServer(NOTES, other), isSameServer(other, NOTES)]).toEqual([true, true])
  })

  it.each([
    ['another name', '["docs","/mcp"]'],
    ['other paths', '["notes","/docs"]'],
    ['a path that is the name', '["/mcp","notes"]'],
    ['no path', '["notes"]'],
    ['an empty list', '[]'],
    ['a text that is not JSON', 'notes'],
    ['JSON that is no list of texts', '["notes",["/mcp"]]'],
    ['an object', '{"0":"notes","1":"/mcp"}'],
  ])('is false for %s', (_, other) => {
    expect([isSameServer(NOTES, other), isSameServer(other, NOTES)]).toEqual([false, false])
  })

  it('compares servers without paths, such as agents, by their name', () => {
    expect(isSameServer(serverText('NOTES', []), serverText('NOTES', []))).toBe(true)
    expect(isSameServer(serverText('NOTES', []), serverText('TODOS', []))).toBe(false)
  })
})

describe('serverLabel', () => {
  it('names the server and its paths, in a bounded length', () => {
    expect(serverLabel(NOTES)).toBe('"notes" (/mcp, /other)')
    expect(serverLabel('["NOTES"]')).toBe('"NOTES"')
    expect(serverLabel('{"newer":1}')).toBe('{"newer":1}')
    expect(serverLabel(serverText('a'.repeat(1000), []))).toHaveLength(201)
  })
})

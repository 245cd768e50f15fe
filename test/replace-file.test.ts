/** Tests how commands replace a file of a project. */
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { replaceFile } from '../packages/text/src/files/replace-file.ts'

let folder = ''
const at = (name: string) => join(folder, name)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edgeway-replace-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a file that a command replaces', () => {
  it('is written beside the earlier one, which stays whole until then, and keeps its mode', () => {
    writeFileSync(at('a.json'), 'earlier')
    chmodSync(at('a.json'), 0o640)
    const reader = openSync(at('a.json'), 'r')
    replaceFile(at('a.json'), 'new')
    expect(readFileSync(reader, 'utf8')).toBe('earlier')
    closeSync(reader)
    expect(readFileSync(at('a.json'), 'utf8')).toBe('new')
    expect(statSync(at('a.json')).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder)).toEqual(['a.json'])
  })

  it('is created where it does not exist, but not its folder', () => {
    replaceFile(at('b.json'), 'new')
    expect(readFileSync(at('b.json'), 'utf8')).toBe('new')
    expect(() => replaceFile(at('b/c.json'), 'new')).toThrow('ENOENT')
  })

  it('is the target of a link, and the link stays', () => {
    writeFileSync(at('target'), 'earlier')
    symlinkSync('target', at('link'))
    replaceFile(at('link'), 'new')
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(at('target'), 'utf8')).toBe('new')
  })

  it('is refused when it is a folder or a link to nothing, and no temporary file stays', () => {
    symlinkSync('nowhere', at('link'))
    expect(() => replaceFile(folder, 'new')).toThrow('EISDIR')
    expect(() => replaceFile(at('link'), 'new')).toThrow('ENOENT')
    expect(readdirSync(folder)).toEqual(['link'])
  })
})

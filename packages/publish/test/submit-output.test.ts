/** Tests the folder of a submission: what belongs to the author stays, and nothing is written outside of it. */
// features: all
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import {
  compareOutput,
  HASHES_FILE,
  type OutputFiles,
  writeOutput,
} from '../src/submit/output-folder.ts'
import { textFile } from '../src/submit/plugin-files.ts'

const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-output-'))
let parent = ''
let out = ''

beforeEach(() => {
  parent = mkdtempSync(join(TEMPORARY, 'case-'))
  out = join(parent, 'out')
})

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

const filesOf = (texts: Readonly<Record<string, string>>): OutputFiles =>
  new Map(Object.entries(texts).map(([path, text]) => [path, textFile(text)]))

const FIRST = { 'form.md': 'one\ntwo\n', 'plugin/README.md': 'readme\n' }
const run = (texts: Readonly<Record<string, string>>, force = false) =>
  writeOutput(out, compareOutput(out, filesOf(texts)), force)
const states = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(compareOutput(out, filesOf(texts)).map(({ path, state }) => [path, state]))
const read = (path: string) => readFileSync(join(out, path), 'utf8')
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(out, path)), { recursive: true })
  writeFileSync(join(out, path), text)
}

describe('the folder of a submission', () => {
  it('is written, and a second run changes nothing', () => {
    expect(states(FIRST)).toEqual({ 'form.md': 'absent', 'plugin/README.md': 'absent' })
    run(FIRST)
    expect(read('form.md')).toBe('one\ntwo\n')
    expect(states(FIRST)).toEqual({ 'form.md': 'current', 'plugin/README.md': 'current' })
    const hashes = read(HASHES_FILE)
    run(FIRST)
    expect(read(HASHES_FILE)).toBe(hashes)
    expect(readdirSync(out).sort()).toEqual([HASHES_FILE, 'form.md', 'plugin'])
  })

  it('has the new text after the definition has changed', () => {
    run(FIRST)
    expect(states({ ...FIRST, 'form.md': 'new' })).toMatchObject({ 'form.md': 'outdated' })
    run({ ...FIRST, 'form.md': 'new' })
    expect(read('form.md')).toBe('new')
  })

  it('keeps a file that the author has changed, also in later runs, until --force', () => {
    run(FIRST)
    write('form.md', 'mine')
    const changed = { ...FIRST, 'form.md': 'new' }
    for (const texts of [FIRST, changed, changed]) {
      expect(states(texts)).toMatchObject({ 'form.md': 'edited' })
      run(texts)
      expect(read('form.md')).toBe('mine')
    }
    run(changed, true)
    expect(read('form.md')).toBe('new')
    expect(states(changed)).toMatchObject({ 'form.md': 'current' })
  })

  it('keeps a file that the author has written before the first run', () => {
    write('form.md', 'mine')
    run(FIRST)
    expect(read('form.md')).toBe('mine')
    expect(read('plugin/README.md')).toBe('readme\n')
  })

  it('takes a file with exactly the text to write as its own', () => {
    write('form.md', FIRST['form.md'])
    run(FIRST)
    run({ ...FIRST, 'form.md': 'new' })
    expect(read('form.md')).toBe('new')
  })

  it('recognizes its files after git has written them with the line ends of Windows', () => {
    run(FIRST)
    write('form.md', 'one\r\ntwo\r\n')
    expect(states(FIRST)).toMatchObject({ 'form.md': 'current' })
    expect(states({ ...FIRST, 'form.md': 'new' })).toMatchObject({ 'form.md': 'outdated' })
  })

  it('removes a file that is not written any more, unless the author has changed it', () => {
    run({ ...FIRST, 'a.zip': 'a', 'b.zip': 'b' })
    write('b.zip', 'mine')
    expect(states(FIRST)).toMatchObject({ 'a.zip': 'outdated', 'b.zip': 'edited' })
    run(FIRST)
    expect([existsSync(join(out, 'a.zip')), read('b.zip')]).toEqual([false, 'mine'])
    run(FIRST, true)
    expect(existsSync(join(out, 'b.zip'))).toBe(false)
  })

  it('writes a file again that the author has removed', () => {
    run(FIRST)
    unlinkSync(join(out, 'form.md'))
    expect(states(FIRST)).toMatchObject({ 'form.md': 'absent' })
    run(FIRST)
    expect(read('form.md')).toBe(FIRST['form.md'])
  })

  it.each<[string, () => void, string]>([
    [
      'a link at a file',
      () => symlinkSync(join(parent, 'other.md'), join(out, 'form.md')),
      'form.md',
    ],
    ['a link at a folder', () => symlinkSync(parent, join(out, 'plugin')), 'plugin/README.md'],
    ['a folder at a file', () => mkdirSync(join(out, 'form.md')), 'form.md'],
    ['a file at a folder', () => write('plugin', 'mine'), 'plugin/README.md'],
  ])('follows and replaces no %s, not even with --force', (_, create, path) => {
    mkdirSync(out)
    writeFileSync(join(parent, 'other.md'), 'other')
    create()
    expect(states(FIRST)).toMatchObject({ [path]: 'obstructed' })
    run(FIRST, true)
    expect(readFileSync(join(parent, 'other.md'), 'utf8')).toBe('other')
    expect(readdirSync(parent).sort()).toEqual(['other.md', 'out'])
  })

  it.each([
    '../other.md',
    'plugin/../../other.md',
    '/etc/passwd',
    'C:\\other.md',
    'a\\..\\..\\other.md',
    '',
  ])('removes no file at %j, which a changed file of hashes names', (path) => {
    mkdirSync(out)
    writeFileSync(join(parent, 'other.md'), 'other')
    const hash = 'd9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa'
    write(HASHES_FILE, JSON.stringify({ files: { [path]: hash } }))
    expect(Object.keys(states(FIRST))).toEqual(Object.keys(FIRST))
    run(FIRST, true)
    expect(readFileSync(join(parent, 'other.md'), 'utf8')).toBe('other')
  })

  it.each(['', 'no JSON', '[]', '{"files": 7}', '{"files": {"form.md": 7}}'])(
    'with the file of hashes %j belongs to the author',
    (text) => {
      run(FIRST)
      write(HASHES_FILE, text)
      expect(states({ ...FIRST, 'form.md': 'new' })).toMatchObject({ 'form.md': 'edited' })
    },
  )

  it('is refused where a file is', () => {
    writeFileSync(out, 'a file')
    expect(() => run(FIRST)).toThrow(/out is not a folder/)
    expect(readdirSync(parent)).toEqual(['out'])
  })

  it('that cannot be written is named, and no temporary file stays', () => {
    run(FIRST)
    const files = compareOutput(out, filesOf({ ...FIRST, 'form.md': 'new', 'a/b.md': 'b' }))
    write('a', 'a file that another program has written since')
    expect(() => writeOutput(out, files, false)).toThrow(/a\/b\.md cannot be written: /)
    expect(readdirSync(out).sort()).toEqual([HASHES_FILE, 'a', 'form.md', 'plugin'])
    expect(read('form.md')).toBe(FIRST['form.md'])
  })

  it('keeps no file of a run that ended in the middle for the text of the author', () => {
    run(FIRST)
    const second = { 'form.md': 'second\n', 'plugin/README.md': 'second\n', 'z.md': 'second\n' }
    const planned = compareOutput(out, filesOf(second))
    mkdirSync(join(out, 'z.md'))
    expect(() => writeOutput(out, planned, false)).toThrow(/z\.md cannot be written/)
    expect([read('form.md'), readdirSync(join(out, 'plugin'))]).toEqual(['second\n', ['README.md']])
    rmSync(join(out, 'z.md'), { recursive: true })
    const third = { 'form.md': 'third\n', 'plugin/README.md': 'third\n', 'z.md': 'third\n' }
    expect(states(third)).toEqual({
      'form.md': 'outdated',
      'plugin/README.md': 'outdated',
      'z.md': 'absent',
    })
    run(third)
    expect(JSON.parse(read(HASHES_FILE)).files['form.md']).toMatch(/^[0-9a-f]{64}$/)
  })

  it('may be reached through a link', () => {
    mkdirSync(join(parent, 'real'))
    symlinkSync(join(parent, 'real'), out)
    run(FIRST)
    expect(readFileSync(join(parent, 'real/form.md'), 'utf8')).toBe(FIRST['form.md'])
  })
})

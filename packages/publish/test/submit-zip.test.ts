/** Tests the ZIP of a plugin. */
// features: all
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { unzipSync } from 'fflate'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { SUBMISSION } from '../../../test/support/node/submission.ts'
import { compareOutput, writeOutput } from '../src/submit/output-folder.ts'
import { textFile } from '../src/submit/plugin-files.ts'
import { PLUGIN_FOLDER, prepare } from '../src/submit/prepare.ts'
import { zipFolder } from '../src/submit/zip.ts'

const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-zip-'))
let out = ''

beforeEach(() => {
  out = mkdtempSync(join(TEMPORARY, 'case-'))
})

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

const openai = prepare('openai', SUBMISSION)

describe('the ZIP of a plugin', () => {
  const zip = () => zipFolder(out, PLUGIN_FOLDER, openai.files, false)
  const entriesOf = (bytes: Uint8Array) => Object.keys(unzipSync(bytes))

  it('has the files of the folder at its root, sorted', () => {
    expect(entriesOf(zip())).toEqual([
      '.codex-plugin/plugin.json',
      '.mcp.json',
      'LICENSE',
      'README.md',
      'assets/logo.png',
      'mcp.json',
      'plugin.json',
    ])
  })

  it('has the same bytes in every time zone, and before and after it is written', () => {
    const script = `
      import { createHash } from 'node:crypto'
      const { zipFolder } = await import(${JSON.stringify(resolve(import.meta.dirname, '../src/submit/zip.ts'))})
      const files = new Map([['plugin/a.json', new TextEncoder().encode('{}')]])
      const bytes = zipFolder('/nowhere', 'plugin', files, false)
      process.stdout.write(createHash('sha256').update(bytes).digest('hex'))`
    const hashes = ['UTC', 'Pacific/Apia', 'America/Sao_Paulo'].map(
      (TZ) =>
        spawnSync(process.execPath, ['--input-type=module', '-e', script], {
          env: { ...process.env, TZ },
          encoding: 'utf8',
        }).stdout,
    )
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(hashes).size).toBe(1)
    const before = zip()
    writeOutput(out, compareOutput(out, openai.files), false)
    expect(zip()).toEqual(before)
  })

  it('has what the author has changed and added in the folder', () => {
    writeOutput(out, compareOutput(out, openai.files), false)
    writeFileSync(join(out, 'plugin/README.md'), 'mine')
    mkdirSync(join(out, 'plugin/skills/find'), { recursive: true })
    writeFileSync(join(out, 'plugin/skills/find/SKILL.md'), 'skill')
    writeFileSync(join(out, 'plugin/.DS_Store'), 'x')
    const entries = unzipSync(zip())
    expect(new TextDecoder().decode(entries['README.md'])).toBe('mine')
    expect(Object.keys(entries)).toContain('skills/find/SKILL.md')
    expect(Object.keys(entries)).not.toContain('.DS_Store')
    const forced = unzipSync(zipFolder(out, PLUGIN_FOLDER, openai.files, true))
    expect(forced['README.md']).toEqual(openai.files.get('plugin/README.md'))
  })

  it('has no file of an earlier run that is not written any more', () => {
    const earlier = new Map([...openai.files, ['plugin/assets/old.png', textFile('old')]])
    writeOutput(out, compareOutput(out, earlier), false)
    expect(entriesOf(zip())).not.toContain('assets/old.png')
  })

  it('is refused with a link and with a secret of a file that the author has added', () => {
    mkdirSync(join(out, 'plugin'))
    symlinkSync('/etc/passwd', join(out, 'plugin/notes.txt'))
    expect(zip).toThrow(/plugin\/notes\.txt is no file: a plugin has no links/)
    rmSync(join(out, 'plugin/notes.txt'))
    writeFileSync(join(out, 'plugin/notes.txt'), 'password: hunter2')
    expect(zip).toThrow(/^notes\.txt: this text contains a password or token/)
  })

  it.each([
    ['hooks/hooks.json', '{}'],
    ['.app.json', '{}'],
    ['plugin.json', '{ "name": "parcels", "hooks": "./on-start.json" }'],
    ['.codex-plugin/plugin.json', '{ "name": "parcels", "apps": "./apps.json" }'],
  ])('is refused with %s of %s, which no public plugin may have', (path, text) => {
    mkdirSync(dirname(join(out, 'plugin', path)), { recursive: true })
    writeFileSync(join(out, 'plugin', path), text)
    expect(zip).toThrow(`${path}: OpenAI publishes no plugin with lifecycle hooks or apps`)
  })

  it('is refused with more than 5,000 files', () => {
    const many = Array.from(
      { length: 5001 },
      (_, at) => [`plugin/${at}.md`, textFile('x')] as const,
    )
    expect(() => zipFolder(out, PLUGIN_FOLDER, new Map(many), false)).toThrow(
      /The plugin has 5001 files, and 5000 are allowed/,
    )
  })

  const python = spawnSync('python3', ['--version']).status === 0
  it.runIf(python)('can be read by another library, which finds no fault in it', () => {
    writeFileSync(join(out, 'plugin.zip'), zip())
    const script = [
      'import sys, zipfile',
      'archive = zipfile.ZipFile(sys.argv[1])',
      'assert archive.testzip() is None',
      "print('\\n'.join(f'{i.filename} {i.date_time[0]} {i.external_attr >> 16:o}' for i in archive.infolist()))",
    ].join('\n')
    const { stdout } = spawnSync('python3', ['-c', script, join(out, 'plugin.zip')], {
      encoding: 'utf8',
    })
    expect(stdout.split('\n')).toContain('plugin.json 2000 100644')
  })
})

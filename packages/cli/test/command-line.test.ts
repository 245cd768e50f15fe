/** Tests what all commands of `edgeway` have in common: their errors, their exit codes, and how the process ends. */
// features: all
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runEdgeway } from '../../../test/support/node/edgeway-command.ts'
import { fileErrorText, useFile } from '../../text/src/files/file-error.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const ENTRY = join(ROOT, 'packages/cli/src/edgeway.ts')
const folder = mkdtempSync(join(tmpdir(), 'edgeway-command-line-'))
const run = (...args: readonly string[]) => runEdgeway(args, { cwd: folder })

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a command line of edgeway', () => {
  it.each([{ args: [] }, { args: ['admin'] }, { args: ['help', 'docter'] }])(
    'without a command that exists ($args) prints the commands on the standard error, and exits with 2',
    async ({ args }) => {
      const { code, stdout, stderr } = await run(...args)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/^Usage: edgeway/)
    },
  )

  it.each([
    { args: ['--help'] },
    { args: ['help'] },
    { args: ['help', 'admin'] },
    { args: ['admin', '--help'] },
    { args: ['--version'] },
    { args: ['doctor', '--version'] },
  ])('that asks for help or the version ($args) exits with 0', async ({ args }) => {
    expect(await run(...args)).toMatchObject({ code: 0, stderr: '' })
  })

  it.each([
    [['migrate', ''], 'the argument after migrate is empty'],
    [['skills', '--out', ''], 'the argument after --out is empty'],
    [['server-json', '--out='], '--out= is empty'],
    [[''], 'the first argument is empty'],
  ])('with an empty argument (%j) is refused', async (args, says) => {
    const { code, stdout, stderr } = await run(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(says)
  })

  it.each([
    { args: ['doctor', 'http://127.0.0.1:1/', '--token', 'top secret'] },
    { args: ['doctor', 'http://user:top-secret@127.0.0.1:1/'] },
    { args: ['admin', 'health', '--url', 'https://user:top-secret@example.com'] },
    { args: ['submit', 'claude', '--url', 'http://user:top-secret@127.0.0.1:1/'] },
  ])('with a secret that is refused ($args) does not print it', async ({ args }) => {
    const { code, stderr } = await run(...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: the (?:token|URL) /)
    expect(stderr).not.toMatch(/top.secret/)
  })

  it('does not print the token of a variable that is refused', async () => {
    const env = { EDGEWAY_ADMIN_TOKEN: 'top secret' }
    const { code, stderr } = await runEdgeway(['admin', 'health', '--url', 'http://[::1]:1'], {
      env,
    })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: the token is invalid/)])
    expect(stderr).not.toContain('secret')
  })

  it.each([
    [['doctor', 'localhost:8787/mcp'], 'Do you mean http://localhost:8787/mcp?'],
    [['contract', '--url', 'mcp.example.com'], 'Do you mean https://mcp.example.com?'],
    [['admin', 'health', '--url', '127.0.0.1:8787'], 'Do you mean http://127.0.0.1:8787?'],
  ])('with a URL that has no scheme (%j) suggests one', async (args, says) => {
    const { code, stderr } = await run(...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  })
})

describe('an error of the file system', () => {
  it('names the file, the reason and what to do, where a part of the path is a file', async () => {
    writeFileSync(join(folder, 'file'), '')
    mkdirSync(join(folder, 'skills/a'), { recursive: true })
    writeFileSync(join(folder, 'skills/a/SKILL.md'), '---\nname: a\ndescription: A.\n---\n')
    const expected = [
      [['init', 'file/new', '--yes'], 'file/new cannot be written (ENOTDIR)'],
      [['skills', '--out', 'file/skills.ts'], 'file/skills.ts cannot be written (EEXIST)'],
      [['skills', '--out', 'skills'], 'skills cannot be read (EISDIR)'],
      [['submit', 'init', 'file/project'], 'file/project/directory.json cannot be used (ENOTDIR)'],
    ] as const
    for (const [args, says] of expected) {
      const { code, stdout, stderr } = await run(...args)
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${says}: `)])
      expect(stderr.trim().split('\n')).toHaveLength(1)
    }
  })

  it('names the folder that does not exist, where a file is written', () => {
    const write = () => writeFileSync(join(folder, 'none/a.json'), '')
    expect(() => useFile('none/a.json', 'written', write)).toThrow(
      'none/a.json cannot be written (ENOENT): its folder does not exist. Create it first',
    )
  })

  it('names the path, and is undefined for any other error', () => {
    const denied = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/a/b' })
    expect(fileErrorText(denied)).toMatch(/cannot be used \(EACCES\): permission is denied\. /)
    expect(fileErrorText(new Error('other'))).toBeUndefined()
  })
})

describe('edgeway init where npm fails', () => {
  it('names what npm says, and writes nothing', async () => {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "npm error code EACCES" >&2\nexit 243\n', {
      mode: 0o755,
    })
    const env = { PATH: `${bin}:${process.env.PATH}` }
    const ended = await runEdgeway(['init', 'parcels', '--yes'], { cwd: folder, env })
    expect([ended.code, ended.stdout]).toEqual([2, ''])
    expect(ended.stderr).toMatch(/^npm cannot pack Edgeway in .*: npm error code EACCES\. Nothing/)
    expect(existsSync(join(folder, 'parcels'))).toBe(false)
  })
})

describe('the process of edgeway', () => {
  it('ends without a stack trace when the reader of its output closes the pipe', async () => {
    const child = spawn(process.execPath, [ENTRY, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let errors = ''
    child.stderr.on('data', (part) => {
      errors += part
    })
    expect(await once(child, 'close')).toEqual([0, null])
    expect(errors).toBe('')
  })

  it.skipIf(!existsSync('/dev/full'))(
    'says that its output cannot be written, and exits with 2',
    () => {
      const command = `"${process.execPath}" "${ENTRY}" --help > /dev/full`
      const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
      expect([status, stderr]).toEqual([
        2,
        'The output cannot be written (ENOSPC). Choose another place for it\n',
      ])
    },
  )

  it.each(['SIGINT', 'SIGTERM'] as const)('removes a temporary folder at %s', async (signal) => {
    const script = `import { handleEarlyEnd } from ${JSON.stringify(join(ROOT, 'packages/cli/src/process-end.ts'))}
      import { inTemporaryFolder } from ${JSON.stringify(join(ROOT, 'packages/text/src/files/temporary-folder.ts'))}
      handleEarlyEnd()
      await inTemporaryFolder('edgeway-end-', async (folder) => {
        console.log(folder)
        await new Promise((resolve) => setTimeout(resolve, 60_000))
      })`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(child.stdout, 'data')
    const temporary = String(line).trim()
    expect(existsSync(temporary)).toBe(true)
    child.kill(signal)
    expect(await once(child, 'close')).toEqual([signal === 'SIGINT' ? 130 : 143, null])
    expect(existsSync(temporary)).toBe(false)
  })
})

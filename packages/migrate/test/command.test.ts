/** Tests the command `edgeway migrate`: git, the diff, the report and the exit codes. */
// features: all
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runEdgeway } from '../../../test/support/node/edgeway-command.ts'
import type { FileEdit } from '../src/plan.ts'
import { coloredDiff, diffOf } from '../src/report.ts'
import { inWriteOrder, writeEdits } from '../src/write-edits.ts'
import { commit, contentsOf, folderOf, migrate, read, run, write } from './folder.ts'
import { PROJECTS } from './projects.ts'

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' })

describe('edgeway migrate', () => {
  it('moves a clean work tree and ends with 0, and changes nothing when it runs again', async () => {
    const folder = folderOf(PROJECTS.agent)
    commit(folder)
    const first = await run(folder)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(
      /^3 files changed, from @modelcontextprotocol\/sdk, agents\/mcp to Edgeway/,
    )
    expect(first.stdout).toContain('npm install')
    expect(git(folder, 'status', '--porcelain')).toBe(
      ' M package.json\n M src/index.ts\n M wrangler.jsonc\n',
    )
    // The work tree has changes now, and there is nothing to write.
    expect(await run(folder)).toMatchObject({
      code: 0,
      stdout:
        'Nothing to change, and nothing to decide\n\n  Sessions of the old version end with the deployment: clients open new ones\n',
    })
  })

  it('ends with 1 where something is left to decide, and names it', async () => {
    const folder = folderOf(PROJECTS.quickStart)
    commit(folder)
    const { code, stdout } = await run(folder)
    expect(code).toBe(1)
    expect(stdout).toContain('A person must decide 3 things:')
    expect(stdout).toMatch(
      /index\.mjs:8:9\n {4}A server is not connected .*\n {4}node_modules\/edgeway\/docs\/guides\/migrate\.md#the-entry/,
    )
    expect(await run(folder)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^Nothing to change\n/),
    })
  })

  it.each([
    [
      'a changed file',
      (folder: string) => write(folder, 'src/index.ts', `${PROJECTS.agent['src/index.ts']}\n`),
    ],
    ['a new file', (folder: string) => write(folder, 'new.txt', '')],
    [
      'a staged file',
      (folder: string) => {
        write(folder, 'new.txt', '')
        git(folder, 'add', '-A')
      },
    ],
  ])('refuses a work tree with %s, unless --force is given', async (_, change) => {
    const folder = folderOf(PROJECTS.agent)
    commit(folder)
    change(folder)
    const before = read(folder, 'src/index.ts')
    expect(await run(folder)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /changes that are not committed.*--force.*Nothing was written\n$/,
      ),
    })
    expect(read(folder, 'src/index.ts')).toBe(before)
    expect(await run(folder, '--force')).toMatchObject({ code: 0 })
    expect(read(folder, 'src/index.ts')).toContain('edgeway/agents')
  })

  it('refuses a folder that is in no work tree, unless --force is given', async () => {
    const folder = folderOf(PROJECTS.agent)
    expect(await run(folder)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/not in a git work tree/),
    })
    expect(await run(folder, '--force')).toMatchObject({ code: 0 })
  })

  it('refuses a folder that the work tree around it ignores', async () => {
    const folder = folderOf({ '.gitignore': 'app\n' })
    commit(folder)
    for (const [path, text] of Object.entries(PROJECTS.agent)) write(folder, `app/${path}`, text)
    expect(await run(join(folder, 'app'))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/not in a git work tree/),
    })
  })

  it('moves a configuration that git ignores with --force alone, and no other one beside it', async () => {
    const folder = folderOf({ ...PROJECTS.agent, '.gitignore': 'wrangler.jsonc\n' })
    commit(folder)
    expect(await run(folder)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'Git ignores wrangler.jsonc, so its change could not be taken back. Keep a copy, or write nevertheless with --force. --dry-run shows the diff. Nothing was written\n',
    })
    expect(git(folder, 'status', '--porcelain')).toBe('')
    expect(await run(folder, '--force')).toMatchObject({ code: 0 })
    expect(read(folder, 'wrangler.jsonc')).toContain('MCP_OBJECTS')
  })

  it('leaves what git ignores', async () => {
    const folder = folderOf({
      ...PROJECTS.agent,
      '.gitignore': 'generated\n',
      'generated/a.ts': `import 'agents/mcp'\n`,
    })
    commit(folder)
    expect(await run(folder)).toMatchObject({ code: 0 })
    expect(read(folder, 'generated/a.ts')).toBe(`import 'agents/mcp'\n`)
  })

  it('with --dry-run shows a diff that git applies, and writes nothing', async () => {
    const folder = folderOf({
      ...PROJECTS.stdio,
      'src/server.ts': PROJECTS.stdio['src/server.ts']?.replaceAll('\n', '\r\n') ?? '',
    })
    commit(folder)
    const shown = await run(folder, '--dry-run')
    expect(shown.code).toBe(1)
    expect(shown.stdout).toContain('--- /dev/null\n+++ b/src/worker.ts\n')
    expect(shown.stdout).toContain('Nothing was written')
    expect(git(folder, 'status', '--porcelain')).toBe('')
    const { diff } = JSON.parse((await run(folder, '--dry-run', '--json')).stdout)
    expect(shown.stdout.startsWith(diff)).toBe(true)
    const applied = spawnSync('git', ['apply', '--whitespace=nowarn', '-'], {
      cwd: folder,
      input: diff,
      encoding: 'utf8',
    })
    expect(applied).toMatchObject({ status: 0, stderr: '' })
    const byGit = ['src/server.ts', 'src/worker.ts', 'wrangler.jsonc', 'package.json'].map((path) =>
      read(folder, path),
    )
    git(folder, 'stash', '--include-untracked')
    await run(folder)
    expect(
      ['src/server.ts', 'src/worker.ts', 'wrangler.jsonc', 'package.json'].map((path) =>
        read(folder, path),
      ),
    ).toEqual(byGit)
  })

  it('with --dry-run needs no work tree', async () => {
    expect(await run(folderOf(PROJECTS.agent), '--dry-run')).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  it('with --json prints the report', async () => {
    const folder = folderOf(PROJECTS.quickStart)
    commit(folder)
    const report = JSON.parse((await run(folder, '--json')).stdout)
    expect(report).toMatchObject({
      from: ['@modelcontextprotocol/sdk'],
      written: true,
      files: [
        { file: 'index.mjs', isNew: false },
        { file: 'wrangler.jsonc', isNew: true },
        { file: 'package.json', isNew: false },
      ],
      next: ['npm install', 'npx edgeway doctor --config'],
    })
    expect(report.decisions[1]).toEqual({
      file: 'index.mjs',
      line: 8,
      column: 9,
      code: 'connects-transport',
      why: expect.stringContaining('not connected to a transport'),
      guide: 'node_modules/edgeway/docs/guides/migrate.md#the-entry',
    })
    expect(report).not.toHaveProperty('diff')
  })

  it.each([
    [['nowhere'], /^There is no folder/],
    [['a', 'b'], /too many arguments/],
    [['--other'], /unknown option/],
  ])('ends with 2 for %j', async (args, message) => {
    expect(await runEdgeway(['migrate', ...args], { cwd: folderOf({}) })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    })
  })

  it('ends with 2 for a syntax error, and writes nothing', async () => {
    const folder = folderOf({ ...PROJECTS.agent, 'src/other.ts': `import 'agents/mcp'\nlet = ` })
    commit(folder)
    expect(await run(folder)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^src\/other\.ts:2:\d+ cannot be parsed: .*\n$/),
    })
    expect(git(folder, 'status', '--porcelain')).toBe('')
  })

  it('prints no control character of a file to a terminal', async () => {
    const edit: FileEdit = { file: 'a.ts', before: 'a\n', after: 'b \u001b[31m\u202e\r\n' }
    expect(coloredDiff([edit], { colors: false })).toContain('+b \\u001b[31m\\u202e\n')
    expect(coloredDiff([edit], { colors: true })).toContain('\u001b[32m+b')
    const emoji: FileEdit = { file: 'a.ts', before: '', after: '😀\u200b\u{e0041}\n' }
    expect(coloredDiff([emoji], { colors: false })).toContain('+😀\\u200b\\udb40\\udc41\n')
    expect(diffOf([edit])).toContain('+b \u001b[31m\u202e\r\n')
  })
})

describe('edgeway migrate --dry-run', () => {
  it('prints what a terminal obeys as escape sequences, and JSON has the exact diff', async () => {
    const source = PROJECTS.agent['src/index.ts'] ?? ''
    const folder = folderOf({
      ...PROJECTS.agent,
      'src/index.ts': `\ufeff// \u001b]0;x\u0007\u009b\u202e\u2066 👩‍💻\r\n${source}`,
    })
    const { stdout } = await run(folder, '--dry-run')
    expect(stdout).toContain(' \ufeff// \\u001b]0;x\\u0007\\u009b\\u202e\\u2066 👩‍💻\r\n')
    const json = await run(folder, '--dry-run', '--json')
    expect(json.stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
    expect(JSON.parse(json.stdout).diff).toContain('\u001b]0;x\u0007\u009b\u202e\u2066 👩‍💻\r\n')
  })
})

describe('the edits of a plan', () => {
  const edits: readonly FileEdit[] = [
    { file: 'a.ts', before: 'a', after: 'b' },
    { file: 'c.ts', before: 'c', after: 'd' },
  ]

  it('are all written, with the mode of each file', async () => {
    const folder = folderOf({ 'a.ts': 'a', 'c.ts': 'c' })
    execFileSync('chmod', ['775', join(folder, 'a.ts')])
    writeEdits(folder, [...edits, { file: 'new/e.ts', after: 'e' }])
    expect([read(folder, 'a.ts'), read(folder, 'c.ts'), read(folder, 'new/e.ts')]).toEqual([
      'b',
      'd',
      'e',
    ])
    expect(
      execFileSync('stat', ['-c', '%a', join(folder, 'a.ts')], { encoding: 'utf8' }).trim(),
    ).toBe('775')
    expect(readdirSync(folder).sort()).toEqual(['a.ts', 'c.ts', 'new'])
  })

  it.each([
    [
      'a file has changed meanwhile',
      { 'a.ts': 'a', 'c.ts': 'other' },
      /c\.ts has changed.*Nothing was written/,
    ],
    ['a file is gone', { 'a.ts': 'a' }, /Nothing was written/],
    ['a folder is in the place of a file', { 'a.ts': 'a', 'c.ts/d.ts': '' }, /Nothing was written/],
  ])('are none of them written when %s', (_, files: Readonly<Record<string, string>>, message) => {
    const folder = folderOf(files)
    expect(() => writeEdits(folder, edits)).toThrow(message)
    expect(read(folder, 'a.ts')).toBe('a')
    expect(readdirSync(folder).sort()).toEqual([
      ...new Set(Object.keys(files).map((path) => path.split('/')[0])),
    ])
  })

  it.each(['quickStart', 'agent'] as const)(
    'of %s that a killed run has written in part are completed by the next run',
    (name) => {
      const whole = folderOf(PROJECTS[name])
      const all = inWriteOrder(migrate(whole).edits)
      for (let count = 1; count < all.length; count++) {
        const folder = folderOf(PROJECTS[name])
        writeEdits(folder, all.slice(0, count))
        migrate(folder)
        expect(contentsOf(folder)).toEqual(contentsOf(whole))
      }
    },
  )

  it('leave a file that was created meanwhile', async () => {
    const folder = folderOf({ 'a.ts': 'a', 'new.ts': 'mine' })
    const more = [
      { file: 'other.ts', after: 'o' },
      ...edits.slice(0, 1),
      { file: 'new.ts', after: 'e' },
    ]
    expect(() => writeEdits(folder, more)).toThrow(/Nothing was written/)
    expect([read(folder, 'a.ts'), read(folder, 'new.ts')]).toEqual(['a', 'mine'])
    expect(readdirSync(folder).sort()).toEqual(['a.ts', 'new.ts'])
  })
})

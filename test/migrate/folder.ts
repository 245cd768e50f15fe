/** A folder with the files of a project, and what `edgeway migrate` does with it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { onTestFinished, vi } from 'vitest'
import { addMigrateCommand } from '../../cli/commands/migrate.ts'
import { planMigration } from '../../cli/migrate/migrate.ts'
import type { Plan } from '../../cli/migrate/plan.ts'
import { writeEdits } from '../../cli/migrate/write-edits.ts'

export type Files = Readonly<Record<string, string>>

export function folderOf(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'edgeway-migrate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) write(folder, path, text)
  return folder
}

export function write(folder: string, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

export const read = (folder: string, path: string): string =>
  readFileSync(join(folder, path), 'utf8')

/** Every file of a folder with its bytes. */
export function contentsOf(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(folder.length + 1), readFileSync(file, 'latin1')]),
  )
}

/** The files that a plan changes, after the change. */
export const changed = ({ edits }: Plan): Files =>
  Object.fromEntries(edits.map(({ file, after }) => [file, after]))

/** Each decision as `code file:line`. */
export const decided = ({ decisions }: Plan): readonly string[] =>
  decisions.map(({ code, file, line }) => `${code} ${file}:${line}`)

/** Plans and writes. */
export function migrate(folder: string): Plan {
  const plan = planMigration(folder)
  writeEdits(plan.folder, plan.edits)
  return plan
}

export function commit(folder: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  git('init', '--quiet')
  git('add', '-A')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'before')
}

const COMMAND = resolve(import.meta.dirname, '../../cli/edgeway.ts')

export interface Ended {
  readonly status: number | string | null | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command in this process, which takes a tenth of the time of a program. */
export async function run(folder: string, ...args: string[]): Promise<Ended> {
  const program = new Command().exitOverride()
  addMigrateCommand(program)
  const outputs = { stdout: '', stderr: '' }
  const { exitCode } = process
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      outputs[name] += String(text)
      return true
    }),
  )
  try {
    await program.parseAsync(['migrate', folder, ...args], { from: 'user' })
    return { status: process.exitCode, ...outputs }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.exitCode = exitCode
  }
}

/** Runs the command line as a program. */
export function runProgram(folder: string, ...args: string[]): Ended {
  const options = { cwd: folder, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [COMMAND, 'migrate', ...args],
    options,
  )
  return { status, stdout, stderr }
}

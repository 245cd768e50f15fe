/** The files with secrets for development, and whether version control has them. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface SecretFile {
  readonly name: string
  readonly values: ReadonlyMap<string, string>
  /** Whether git has it, or would add it. */
  readonly isShared: boolean
}

const run = promisify(execFile)

const SECRET_FILE = /^\.(?:dev\.vars|env)(?:\.[\w.-]+)?$/
const EXAMPLE = /\.(?:example|sample|template|dist)$/
const GIT_TIMEOUT_MS = 5000

export async function readSecretFiles(folder: string): Promise<readonly SecretFile[]> {
  const names = readdirSync(folder).filter((name) => SECRET_FILE.test(name) && !EXAMPLE.test(name))
  const shared = names.length === 0 ? [] : await sharedFiles(folder, names)
  return names.map((name) => ({
    name,
    values: parseVariables(readFileSync(join(folder, name), 'utf8')),
    isShared: shared.includes(name),
  }))
}

/** Those of the files that git has, or that it does not ignore. */
async function sharedFiles(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...names]
  try {
    const { stdout } = await run('git', ['-C', folder, ...args], { timeout: GIT_TIMEOUT_MS })
    return stdout.split('\n')
  } catch {
    // No git, or no repository.
    return []
  }
}

const LINE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*([^\n]*)$/gm

function parseVariables(text: string): ReadonlyMap<string, string> {
  const lines = [...text.replaceAll('\r', '').matchAll(LINE)]
  return new Map(lines.map(([, name = '', value = '']) => [name, unquoted(value.trim())]))
}

function unquoted(value: string): string {
  const quote = value[0] ?? ''
  const end = `"'\``.includes(quote) && quote !== '' ? value.indexOf(quote, 1) : -1
  return end === -1 ? value.replace(/\s#.*$/, '').trim() : value.slice(1, end)
}

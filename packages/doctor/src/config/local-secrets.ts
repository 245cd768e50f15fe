/** The files with secrets for development, and whether version control has them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { askGit } from '../../../text/src/files/git.ts'

export interface SecretFile {
  readonly name: string
  readonly values: ReadonlyMap<string, string>
  /** Whether git has it, or would add it. */
  readonly isShared: boolean
}

const SECRET_FILE = /^\.(?:dev\.vars|env)(?:\.[\w.-]+)?$/
const EXAMPLE = /\.(?:example|sample|template|dist)$/

export function readSecretFiles(folder: string): readonly SecretFile[] {
  const names = readdirSync(folder).filter((name) => SECRET_FILE.test(name) && !EXAMPLE.test(name))
  const shared = names.length === 0 ? [] : sharedFiles(folder, names)
  return names.map((name) => ({
    name,
    values: parseVariables(readFileSync(join(folder, name), 'utf8')),
    isShared: shared.includes(name),
  }))
}

/** Those of the files that git has, or that it does not ignore. */
function sharedFiles(folder: string, names: readonly string[]): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...names]
  return askGit(folder, args)?.split('\0') ?? []
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

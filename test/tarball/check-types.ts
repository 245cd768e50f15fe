/** Type-checks TypeScript of documents against the installed package. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './consumer.ts'

/** What documents import besides the package. */
const PACKAGES = [
  'vitest',
  '@cloudflare/vitest-plugin',
  '@cloudflare/workers-oauth-provider',
  'hono',
]

const OPTIONS = {
  target: 'es2024',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2024', 'esnext.disposable'],
  types: ['@cloudflare/workers-types'],
  strict: true,
  noUncheckedIndexedAccess: true,
  resolveJsonModule: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
}

/**
 * @param project a folder in that of the consumer
 * @returns the errors as the compiler prints them; empty without one
 */
export function typeErrorsOf(project: string, include: readonly string[]): string {
  mkdirSync(join(project, 'node_modules/@cloudflare'), { recursive: true })
  for (const name of PACKAGES) {
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name))
  }
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: OPTIONS, include }),
  )
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', project, '--pretty', 'false'], {
    cwd: project,
    encoding: 'utf8',
  })
  return stdout
}

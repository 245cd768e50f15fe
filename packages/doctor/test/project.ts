/** Projects in a temporary folder: a correct one, and how a test changes it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { durableObjectsToml } from '../../../test/support/node/durable-objects-toml.ts'
import { ofCheckout } from '../../../test/support/node/entries.ts'

export const ROOT = resolve(import.meta.dirname, '../../..')

/** The files of the correct project by name. An empty text removes one. */
export type Files = Readonly<Record<string, string>>

export const MAIN = ofCheckout(`
import { createEdgeway, jsonSchema, McpServer } from 'edgeway'
import { embedded } from 'edgeway/auth'
import { changes } from 'edgeway/changes'
import { sessions } from 'edgeway/sessions'

const server = new McpServer({ name: 'project', version: '1.0.0' })
server.registerTool('greet', { scopes: ['greet'] }, () => 'Hello')

const edgeway = createEdgeway(server, {
  auth: embedded({ scopes: { greet: 'Greet' } }),
  features: [sessions(), changes()],
})

export default edgeway
export class McpObjects extends edgeway.Objects {}
`)

export const CONFIGURATION = `
name = "project"
main = "worker.ts"
compatibility_date = "2026-11-01"
compatibility_flags = ["enable_request_signal", "global_fetch_strictly_public"]
routes = [{ pattern = "mcp.example.com", custom_domain = true }]

[vars]
EDGEWAY_ORIGIN = "https://mcp.example.com"

${durableObjectsToml(['McpObjects'])}`

export interface Project {
  readonly folder: string
  write(files: Files): void
  remove(): void
}

export function createProject(files: Files = {}): Project {
  const folder = mkdtempSync(join(tmpdir(), 'edgeway-project-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const write = (changed: Files) => {
    for (const [name, text] of Object.entries(changed)) {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      if (text === '') rmSync(path, { force: true })
      else writeFileSync(path, text)
    }
  }
  write({ 'worker.ts': MAIN, 'wrangler.toml': CONFIGURATION, ...files })
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Puts the folder under version control; `.gitignore` decides what is ignored. */
export function initGit(folder: string): void {
  execFileSync('git', ['init', '--quiet', folder])
}

/** The text with one part replaced, which must occur in it. */
export function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`The text has no ${part}`)
  return text.replace(part, by)
}

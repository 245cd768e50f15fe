/** Tests the workflow of the package that publishes a server to the MCP registry: GitHub can read it, and its commands exist. */
// features: all
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { starterFiles } from '../packages/cli/src/init/starter-files.ts'

const ROOT = resolve(import.meta.dirname, '..')
const PATH = 'starter/publish.yml'

const files = starterFiles({ name: 'parcels', auth: 'open', description: undefined, edgeway: '^1' })
const text = readFileSync(resolve(ROOT, PATH), 'utf8')
const workflow = parse(text, { version: '1.2', strict: true })

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly shell?: string
}

const { registry } = workflow.jobs
const steps: readonly Step[] = registry.steps
const commands = steps.flatMap(({ run = '' }) => run.split('\n').filter((line) => line !== ''))
const place = (part: string) => commands.findIndex((command) => command.includes(part))

/** The commands of mcp-publisher, as its reference has them: docs/reference/cli/commands.md of modelcontextprotocol/registry. */
const MCP_PUBLISHER =
  /^\.\/mcp-publisher (?:validate|publish|login (?:github|github-oidc|http|dns|none)|logout|init)$/

describe('the workflow that publishes a server to the MCP registry', () => {
  it('runs for the tag of a version alone, one run at a time', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } })
    expect(workflow.concurrency).toEqual({ group: 'publish' })
    expect(Object.keys(workflow.jobs)).toEqual(['registry'])
    expect(registry['timeout-minutes']).toBeLessThanOrEqual(30)
  })

  // https://modelcontextprotocol.io/registry/github-actions: "id-token: write # Required for OIDC authentication"
  it('may only read the repository and prove its name, and has no secret', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    expect(registry.permissions).toEqual({ contents: 'read', 'id-token': 'write' })
    expect(text).not.toMatch(/secrets\./)
  })

  it('runs commands of mcp-publisher that exist, in their order', () => {
    const own = commands.filter((command) => command.startsWith('./mcp-publisher'))
    expect(own.filter((command) => !MCP_PUBLISHER.test(command))).toEqual([])
    expect(own).toEqual([
      './mcp-publisher validate',
      './mcp-publisher login github-oidc',
      './mcp-publisher publish',
    ])
    expect(place('tar -xz mcp-publisher')).toBeLessThan(place('./mcp-publisher validate'))
  })

  it('writes server.json before it compares the version with the tag', () => {
    expect(place('npx edgeway server-json --write')).toBeLessThan(place('$GITHUB_REF_NAME'))
    expect(place('$GITHUB_REF_NAME')).toBeLessThan(place('./mcp-publisher validate'))
  })

  it('runs a command of edgeway with options that it has', () => {
    const [command = ''] = commands.filter((each) => each.startsWith('npx edgeway'))
    const [name = '', option = ''] = command.replace('npx edgeway ', '').split(' ')
    const { status, stdout } = spawnSync(
      process.execPath,
      [resolve(ROOT, 'packages/cli/src/edgeway.ts'), name, '--help'],
      { encoding: 'utf8' },
    )
    expect([status, stdout]).toEqual([0, expect.stringContaining(option)])
  })

  it('compares the tag with the version as a shell does', () => {
    const [command = ''] = commands.filter((each) => each.includes('$GITHUB_REF_NAME'))
    const compare = (tag: string) =>
      spawnSync('bash', ['-e', '-c', command], {
        cwd: resolve(ROOT, 'test/fixtures/server-json'),
        env: { ...process.env, GITHUB_REF_NAME: tag },
      }).status
    expect([compare('v1.2.3'), compare('v1.2.4')]).toEqual([0, 1])
  })

  it('fails when the download of mcp-publisher fails', () => {
    const download = steps.find(({ run }) => run?.includes('mcp-publisher_'))
    // GitHub runs a step with this shell with `-o pipefail`.
    expect(download?.shell).toBe('bash')
    expect(download?.run).toMatch(/^curl --fail /)
    // https://modelcontextprotocol.io/registry/github-actions
    expect(download?.run).toContain(
      'https://github.com/modelcontextprotocol/registry/releases/latest/download/mcp-publisher_linux_amd64.tar.gz',
    )
  })

  it('uses the same versions of actions as the other workflow of the server', () => {
    const ci = parse(readFileSync(resolve(ROOT, 'starter/base/_github/workflows/ci.yml'), 'utf8'))
    const uses = (all: readonly Step[]) => all.flatMap((step) => step.uses ?? [])
    expect(uses(steps)).toEqual(uses(ci.jobs.check.steps))
  })

  it('is described by the README of the server', () => {
    const readme = String(files.get('README.md'))
    expect(readme).toContain(`cp node_modules/edgeway/${PATH} .github/workflows/\n`)
    expect(readme).toContain('git push origin v1.0.0')
  })
})

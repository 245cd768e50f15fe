/** Writes a new server with the packed packages, and runs its scripts, as a person does in a terminal. */
import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import { OTHER_PATHS } from './find-node.ts'
import { type Program, serveUntilReady } from './serve-until-ready.ts'

export interface Shell {
  /** Runs a command and returns its output. @throws {Error} with the output when it fails */
  readonly run: (directory: string, command: string, ...args: readonly string[]) => Promise<string>
  /** Runs `npm run dev` until it answers. */
  readonly serve: (directory: string, onOutput?: (text: string) => void) => Promise<Serving>
}

export interface Serving extends Program {
  readonly url: string
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** The tarballs of the packages `edgeway` and `create-edgeway`. */
export interface Tarballs {
  readonly edgeway: string
  readonly createEdgeway: string
}

/** What commands need not ask servers elsewhere for. */
const QUIET = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
  npm_config_update_notifier: 'false',
  WRANGLER_SEND_METRICS: 'false',
  NO_COLOR: '1',
}

/**
 * The environment of commands that run on this Node, without the settings of the test runner and of `npm run`. The
 * configuration of the machine stays: the npm of another Node looks for it elsewhere, and may not reach the registry
 * without.
 */
export function environmentOf(node: string): NodeJS.ProcessEnv {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(?:npm_(?!config_globalconfig$)|VITEST|NODE_(?!EXTRA_CA_CERTS$)|INIT_CWD)/.test(name),
    ),
  )
  // Compilation is a third of the processor time of the programs of npm and wrangler.
  const { NODE_COMPILE_CACHE } = process.env
  return { ...env, ...QUIET, NODE_COMPILE_CACHE, PATH: `${dirname(node)}:${OTHER_PATHS}` }
}

export function shellOf(node: string): Shell {
  const env = environmentOf(node)
  return {
    run: (cwd, command, ...args) => run(cwd, env, command, args),
    serve: (cwd, onOutput) => serve(cwd, env, onOutput),
  }
}

/** `npm create edgeway <args>`, with the packed packages instead of the published ones. */
export function npmCreate({ edgeway, createEdgeway }: Tarballs, ...args: readonly string[]) {
  const packages = [`--package=${edgeway}`, `--package=${createEdgeway}`]
  return ['npm', 'exec', '--yes', ...packages, '--', 'create-edgeway', ...args] as const
}

function run(
  cwd: string,
  env: NodeJS.ProcessEnv,
  command: string,
  args: readonly string[],
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env, maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${command} ${args.join(' ')} failed\n${stdout}\n${stderr}`))
    }).stdin?.end()
  })
}

async function serve(
  cwd: string,
  env: NodeJS.ProcessEnv,
  onOutput?: (text: string) => void,
): Promise<Serving> {
  const [port, inspectorPort] = [await findFreePort(), await findFreePort()]
  const ports = `--port ${port} --ip 127.0.0.1 --inspector-port ${inspectorPort}`
  const url = `http://127.0.0.1:${port}/mcp`
  const { output, stop } = await serveUntilReady(`npm run dev -- ${ports}`, {
    ...{ cwd, env, onOutput },
    readyAt: { url: new URL('/', url), accepts: ({ ok }) => ok },
  })
  return { url, output, stop }
}

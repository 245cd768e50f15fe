/** What directories would see of a project, before it is deployed. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { DescribedApp } from '../../../doctor/src/config/inspector.ts'
import type { Environment } from '../../../doctor/src/config/wrangler.ts'
import type { ReadApp, ReadProject } from '../../../doctor/src/definition/read-project.ts'
import { wellFormed } from '../../../doctor/src/definition/well-formed.ts'
import { parseJson } from '../../../text/src/json/json-text.ts'
import { listIn } from '../../../text/src/json/members.ts'
import { parseCommented } from '../submit/read-listing.ts'
import type { DirectoryInput } from './input.ts'

export interface ObservedApp {
  readonly path: string
  readonly input: DirectoryInput
}

export async function observeApps({
  config,
  environment,
  apps,
}: ReadProject): Promise<readonly ObservedApp[]> {
  const folder = dirname(config)
  const [serverJson, listing] = await Promise.all(
    ['server.json', 'directory.json'].map((name) => readJson(join(folder, name))),
  )
  return apps.map((app) => ({
    path: app.app.paths[0] ?? '/',
    input: { ...inputOf(app, environment), serverJson, listing },
  }))
}

/** A text that is no JSON is returned as it is, and reported by the rules of the file. */
async function readJson(path: string): Promise<unknown> {
  try {
    const text = await readFile(path, 'utf8')
    return parseJson(text) ?? parseCommented(text) ?? text.slice(0, 400)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function inputOf({ app, surface: announced }: ReadApp, environment: Environment): DirectoryInput {
  const origin = originOf(environment)
  // The compiler has checked the definition, and an author may have gone around it.
  const { surface, malformed } = wellFormed(announced)
  return {
    surface,
    malformed,
    isDevelopment: true,
    url: origin === undefined ? undefined : urlOf(origin, app),
    card: cardOf(app, origin),
  }
}

/** The first origin of the configuration that is one. */
function originOf({ config }: Environment): string | undefined {
  const { EDGEWAY_ORIGIN: value } = config.vars
  const texts = typeof value === 'string' ? value.split(/[\s,]+/) : []
  return texts.find((text) => URL.canParse(text) && new URL(text).origin === text)
}

/** Undefined for an app whose paths have params: it has a URL for each of their values. */
function urlOf(origin: string, { paths }: DescribedApp): string | undefined {
  const path = paths.find((one) => !/[{:*]/.test(one))
  return path === undefined ? undefined : new URL(path, origin).href
}

/** It is announced with paths in place of URLs. Without an origin nothing can be said of them. */
function cardOf({ serverCard }: DescribedApp, origin: string | undefined): unknown {
  if (!isJsonObject(serverCard)) return undefined
  const { remotes: _, ...others } = serverCard
  if (origin === undefined) return others
  const remotes = listIn(serverCard, 'remotes').map((remote) =>
    isJsonObject(remote) && typeof remote.url === 'string' && remote.url.startsWith('/')
      ? { ...remote, url: origin + remote.url }
      : remote,
  )
  return { ...others, remotes }
}

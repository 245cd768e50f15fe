/** What a submission is made of: the definition of one server, the listing of its author, and the files that it names. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readSecretFiles } from '../config/local-secrets.ts'
import { ProjectError } from '../config/project-error.ts'
import { type ReadProject, readProject } from '../definition/read-project.ts'
import type { Surface } from '../definition/surface.ts'
import { isObject, parseJson, printable } from '../doctor/text.ts'
import { endpointOf } from './endpoint.ts'
import { type ImageFiles, readImages } from './image-files.ts'
import type { Listing } from './listing.ts'
import { LISTING_FILE, readListing } from './read-listing.ts'

export interface Submission {
  readonly project: ReadProject
  readonly surface: Surface
  /** Whether people sign in to the server. */
  readonly hasSignIn: boolean
  readonly listing: Listing
  /** The folder of the listing. */
  readonly folder: string
  /** The MCP endpoint. */
  readonly url: string
  readonly images: ImageFiles
  /** The SPDX identifier. */
  readonly license?: string
  /** The text of the license. */
  readonly licenseText?: string
}

export interface SubmissionOptions {
  /** The path of the listing. Absent: `directory.json` in the folder of the project. */
  readonly listing?: string
  readonly onProgress?: (activity: string) => void
}

/**
 * @param path a folder, or the configuration file of a project
 * @throws {ProjectError}
 */
export async function readSubmission(
  path: string,
  { listing: listingPath, onProgress }: SubmissionOptions = {},
): Promise<Submission> {
  const file = resolve(listingPath ?? join(projectFolder(path), LISTING_FILE))
  // Before the project is bundled, which takes seconds.
  const listing = readListing(file)
  const folder = dirname(file)
  const project = await readProject(path, onProgress)
  const root = dirname(resolve(project.config))
  await refuseLocalSecrets(root, listing, file)
  const { app, url } = endpointOf(project, listing)
  const places = [...new Set([folder, root])]
  return {
    ...{ project, listing, folder, url },
    surface: app.surface,
    hasSignIn: app.app.auth !== undefined,
    images: readImages(listing, folder, root),
    license: listing.license?.trim() || licenseOf(places),
    licenseText: licenseTextIn(places),
  }
}

/** The folder of a project that is named by its folder or its configuration file. */
export function projectFolder(path: string): string {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  return isFile ? dirname(path) : path
}

const MIN_SECRET_CHARACTERS = 8

/** A secret of the project that was pasted into the listing, in whichever form it has. */
async function refuseLocalSecrets(root: string, listing: Listing, file: string): Promise<void> {
  const text = JSON.stringify(listing)
  for (const { name, values } of await readSecretFiles(root)) {
    const found = [...values].find(
      ([, value]) =>
        value.length >= MIN_SECRET_CHARACTERS &&
        !/^(?:replace-me|development|https?:\/\/[^@]*)$/.test(value) &&
        text.includes(JSON.stringify(value).slice(1, -1)),
    )
    if (found === undefined) continue
    throw new ProjectError(
      `${printable(file, 1000)} contains the value of ${printable(found[0])} in ${printable(name)}. Remove it and replace the secret: it belongs in the form of the directory, where only reviewers read it`,
    )
  }
}

/** That of the nearest `package.json`. */
function licenseOf(places: readonly string[]): string | undefined {
  for (const place of places) {
    const file = join(place, 'package.json')
    const value = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined
    if (isObject(value) && typeof value.license === 'string') return value.license
  }
  return undefined
}

const LICENSE_NAMES = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'license', 'COPYING']

function licenseTextIn(places: readonly string[]): string | undefined {
  const files = places.flatMap((place) => LICENSE_NAMES.map((name) => join(place, name)))
  const found = files.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
  return found === undefined ? undefined : readFileSync(found, 'utf8').replaceAll('\r\n', '\n')
}

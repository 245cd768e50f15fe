/** The client that the page plays: itself, or one of those that `edgeway/testing` plays. */
import { APPS_EXTENSION, VIEW_TYPE } from '../../../../src/protocol/apps.ts'
import type { Implementation } from '../../../../src/protocol/content.ts'
import { MODERN } from '../../../../src/protocol/revisions.ts'
import { TASKS_EXTENSION } from '../../../../src/protocol/tasks.ts'
import { type ClientProfile, PROFILES } from '../../../client/src/profiles.ts'
import { Store } from '../store.ts'

type Known = Omit<ClientProfile, 'title' | 'clientInfo' | 'revision' | 'seen'>

export interface PlayedClient extends Known, Partial<Pick<ClientProfile, 'seen'>> {
  readonly title: string
  readonly clientInfo: Pick<Implementation, 'name' | 'version' | 'title'>
  readonly revision: string
}

/** It declares all that the page can answer. */
const OWN: PlayedClient = {
  title: 'This page',
  clientInfo: { name: 'edgeway-inspector', title: 'Edgeway inspector', version: '1.0.0' },
  revision: MODERN.id,
  capabilities: {
    elicitation: { form: {}, url: {} },
    sampling: {},
    roots: {},
    extensions: { [TASKS_EXTENSION]: {}, [APPS_EXTENSION]: { mimeTypes: [VIEW_TYPE] } },
  },
  callTimeoutMs: undefined,
  progressResetsTimeout: false,
  resultLimit: undefined,
  inputSchemaLength: undefined,
  echoesSessionId: true,
  tasks: 'extension',
  opensStream: true,
}

/** By the names of the test kit. */
export const PLAYED_CLIENTS: ReadonlyMap<string, PlayedClient> = new Map([
  ['', OWN],
  ...Object.entries(PROFILES),
])

const KEY = 'edgeway-inspector-client'

/** The name of the client. It is kept for the lifetime of the browser tab: a sign-in leaves the page. */
export const playedName = new Store(sessionStorage.getItem(KEY) ?? '')

export function playClient(name: string): void {
  sessionStorage.setItem(KEY, name)
  playedName.set(name)
}

export function playedClient(): PlayedClient {
  return PLAYED_CLIENTS.get(playedName.value) ?? OWN
}

export const isModern = ({ revision }: PlayedClient): boolean => revision === MODERN.id

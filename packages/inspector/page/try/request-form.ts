/** The selected item, and what the form of a request for it gets. */
import type { Params } from '../client/endpoint.ts'
import type { RunRequest } from '../client/run-request.ts'
import type { Item, ListName } from './catalog.ts'

export interface Selected {
  readonly list: ListName
  readonly item: Item
}

export interface RequestFormProps {
  readonly item: Item
  readonly endpoint: string
  readonly isActive: boolean
  /** What the form contained before a sign-in. */
  readonly entered: Params | undefined
  readonly onRequest: (request: Omit<RunRequest, 'endpoint'>) => void
}

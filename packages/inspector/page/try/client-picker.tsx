/** Which client the page plays, and what that client does and lacks. */
import { useId } from 'preact/hooks'
import { APPS_EXTENSION } from '../../../../src/protocol/apps.ts'
import { PLAYED_CLIENTS, type PlayedClient, playedName } from '../client/played-client.ts'
import { Code } from '../elements/text.tsx'
import { recordOf } from '../form/schema.ts'
import { useStore } from '../store.ts'

interface ClientPickerProps {
  readonly onClient: (name: string) => void
}

export function ClientPicker({ onClient }: ClientPickerProps) {
  const name = useStore(playedName)
  const client = PLAYED_CLIENTS.get(name)
  const id = useId()
  return (
    <div class="toolbar">
      <label for={id}>Client</label>
      <select
        id={id}
        value={name}
        onChange={({ currentTarget }) => onClient(currentTarget.value)}
        aria-describedby={`${id}-traits`}
      >
        {[...PLAYED_CLIENTS].map(([each, { title, revision, ...played }]) => (
          <option key={each} value={each}>
            {[`${title}: ${revision}`, ...lacksOf(played)].join(', ')}
          </option>
        ))}
      </select>
      {client !== undefined && <Traits id={`${id}-traits`} client={client} />}
    </div>
  )
}

function Traits({ id, client }: { readonly id: string; readonly client: PlayedClient }) {
  const { seen } = client
  return (
    <div id={id}>
      <ul class="hints">
        {traitsOf(client).map((trait) => (
          <li key={trait} class="badge">
            {trait}
          </li>
        ))}
        {[...lacksOf(client), ...(client.echoesSessionId ? [] : ['names no session'])].map(
          (lack) => (
            <li key={lack} class="badge warn">
              {lack}
            </li>
          ),
        )}
      </ul>
      {seen !== undefined && (
        <p class="description">
          <Code>{client.clientInfo.name}</Code>
          {seen.version === undefined ? ', as reported' : ` ${seen.version}, seen`} on {seen.on}.
        </p>
      )}
    </div>
  )
}

function traitsOf(client: PlayedClient): readonly string[] {
  const { capabilities, tasks, callTimeoutMs, resultLimit } = client
  const { elicitation } = capabilities
  return [
    elicitation && (recordOf(elicitation)?.url ? 'asked by forms and URLs' : 'asked by forms'),
    tasks && 'tasks',
    recordOf(capabilities.extensions)?.[APPS_EXTENSION] && 'shows views',
    callTimeoutMs && `waits ${callTimeoutMs / 1000} s`,
    resultLimit && `reads ${resultLimit.limit.toLocaleString('en')} ${resultLimit.unit}`,
  ].filter((trait) => typeof trait === 'string')
}

function lacksOf({ capabilities, tasks }: Pick<PlayedClient, 'capabilities' | 'tasks'>) {
  const lacks = []
  if (capabilities.elicitation === undefined) lacks.push('no questions')
  if (tasks === undefined) lacks.push('no tasks')
  return lacks
}

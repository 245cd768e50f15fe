/** Saves the shown result, and opens a file of saved ones. */
import { useState } from 'preact/hooks'
import { parseResults, type SavedResult } from '../../../view/src/host/saved-results.ts'
import { SmallButton } from '../elements/small-button.tsx'
import { saveResults } from './save-results.ts'

interface ResultFilesProps {
  readonly uri: string
  readonly tool: string
  /** The result that is shown. */
  readonly result: SavedResult | undefined
  readonly onResult: (result: SavedResult | undefined) => void
}

export function ResultFiles({ uri, tool, result, onResult }: ResultFilesProps) {
  const [opened, setOpened] = useState<readonly SavedResult[]>([])
  const [problem, setProblem] = useState<string>()
  const own = opened.filter((each) => each.tool === tool)
  const open = async (file: File | undefined) => {
    if (file === undefined) return
    try {
      const results = parseResults(await file.text())
      const first = results.find((each) => each.tool === tool)
      setOpened(results)
      setProblem(first === undefined ? `${file.name} has no result of ${tool}` : undefined)
      onResult(first)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const save = () => {
    if (result === undefined) return
    const others = opened.filter((each) => each !== result)
    saveResults(uri, [...others, others.length < opened.length ? result : named(result, others)])
  }
  return (
    <>
      {own.length > 1 && (
        <select
          aria-label="Saved result"
          value={own.indexOf(result as SavedResult)}
          onChange={({ currentTarget }) => onResult(own[Number(currentTarget.value)])}
        >
          {own.map(({ name }, index) => (
            <option key={index} value={index}>
              {name}
            </option>
          ))}
        </select>
      )}
      <SmallButton disabled={result === undefined} onClick={save}>
        Save the result
      </SmallButton>
      <label class="file">
        Open results
        <input
          class="hidden"
          type="file"
          accept=".json"
          onChange={({ currentTarget }) => {
            void open(currentTarget.files?.[0])
            // The same file may be opened again.
            currentTarget.value = ''
          }}
        />
      </label>
      {problem !== undefined && <p role="alert">{problem}.</p>}
    </>
  )
}

/** A further result of the same tool has a name of its own. */
function named(result: SavedResult, others: readonly SavedResult[]): SavedResult {
  const count = others.filter(({ tool }) => tool === result.tool).length
  return count === 0 ? result : { ...result, name: `${result.name}-${count + 1}` }
}

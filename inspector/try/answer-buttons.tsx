/** Ends the form of an answer that a person writes: sends it, or refuses the request. */
import type { AnswerProps } from './ask.ts'

export function AnswerButtons({ onRefuse }: Pick<AnswerProps, 'onRefuse'>) {
  return (
    <div class="buttons">
      <button type="submit" class="main">
        Answer
      </button>
      <button type="button" onClick={onRefuse}>
        Refuse and end the call
      </button>
    </div>
  )
}

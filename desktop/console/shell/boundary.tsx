import { Component, type ComponentChildren } from 'preact';
import { Button } from '../components/button.tsx';
import { queries } from '../data/query.ts';
import { shellWords } from './words.ts';

type Props = { children: ComponentChildren; place?: string };
type State = { hasFailed: boolean; place: string | undefined };

/**
 * What fails while it is drawn fails alone: strip, sound and banner live on beside it. At another `place` it begins anew.
 */
export class Boundary extends Component<Props, State> {
  override state: State = { hasFailed: false, place: this.props.place };

  static override getDerivedStateFromProps({ place }: Props, state: State): Partial<State> | null {
    return place === state.place ? null : { place, hasFailed: false };
  }

  static override getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown) {
    // for whoever looks into the console of the browser
    reportError(error);
  }

  // what it failed over may be an answer that is still remembered
  again = () => {
    queries.clear();
    this.setState({ hasFailed: false });
  };

  override render() {
    const words = shellWords();
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div class="page">
        {this.props.place === undefined ? null : <h1>{words.failedTitle}</h1>}
        <div class="note p2" role="alert" data-failed>
          <span class="grow">{words.failed}</span>
          <Button onClick={this.again}>{words.again}</Button>
          <a class="button" href="/">
            {words.home}
          </a>
        </div>
      </div>
    );
  }
}

// first: they say which of the styles that come with screens lie over which
import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/shell.css';
import './styles/screens.css';
import './styles/forced-colors.css';
import './styles/print.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { Route, Switch, useSearch } from 'wouter-preact';
import { startInstance } from './data/instance.ts';
import { startLive, stopLive } from './data/live.ts';
import { startRemoteOrders } from './data/orders.ts';
import { startOutbox } from './data/outbox.ts';
import { startPondCodes } from './data/places.ts';
import { startProgram } from './data/program.ts';
import { startPush } from './data/push-start.ts';
import { queries } from './data/query.ts';
import { isSignedIn, keepUserKnown, mustSetUp, renewIfDue } from './data/session.ts';
import { startTheme } from './data/theme.ts';
import { prepareFormats } from './i18n/format.ts';
import { language } from './i18n/language.ts';
import { LeaveQuestion } from './shell/leave-question.tsx';
import { PageTitle } from './shell/page-change.ts';
import { startScreenLight } from './shell/screen-light.ts';
import { Boundary, LazyScreen, Shell } from './shell/shell.tsx';
import { startSound } from './shell/sound.ts';

function App() {
  const signedIn = isSignedIn();
  const isBarred = signedIn && mustSetUp.value;
  useEffect(() => {
    if (!signedIn || isBarred) {
      stopLive();
      return;
    }
    startLive();
    return keepUserKnown();
  }, [signedIn, isBarred]);
  if (isBarred)
    return (
      <QueryClientProvider client={queries}>
        <PageTitle />
        <Boundary>
          <LazyScreen load={loadSetUpFirst} params={{}} />
        </Boundary>
      </QueryClientProvider>
    );
  const isOnWall = new URLSearchParams(useSearch()).get('tv') === '1';
  return (
    <QueryClientProvider client={queries}>
      <PageTitle />
      <LeaveQuestion />
      <Boundary>
        <Switch>
          <Route path={isOnWall ? '*' : '/painel'}>
            <LazyScreen load={loadPanel} params={{}} />
          </Route>
          <Route path="/bem-vindo/:step?">
            {(params: Record<string, string>) => <LazyScreen load={loadWelcome} params={params} />}
          </Route>
          <Route path="/primeira-senha">
            <LazyScreen load={loadFirstPassword} params={{}} />
          </Route>
          <Route path="/esqueci-a-senha">
            <LazyScreen load={loadForgotten} params={{}} />
          </Route>
          <Route path="/nova-senha">
            <LazyScreen load={loadNewPassword} params={{}} />
          </Route>
          <Route>{signedIn ? <Shell /> : <LazyScreen load={loadSignIn} params={{}} />}</Route>
        </Switch>
      </Boundary>
    </QueryClientProvider>
  );
}

// They stand without the frame of the console, and without a session, too.
const loadPanel = async () => (await import('./screens/panel/panel.tsx')).Panel;
const loadWelcome = async () => (await import('./screens/onboarding/welcome.tsx')).Welcome;
const loadSignIn = async () => (await import('./screens/sign-in/sign-in.tsx')).SignIn;
const loadForgotten = async () => (await import('./screens/sign-in/forgotten.tsx')).Forgotten;
const loadSetUpFirst = async () => (await import('./screens/account/set-up-first.tsx')).SetUpFirst;
const loadNewPassword = async () => (await import('./screens/sign-in/new-password.tsx')).NewPassword;
const loadFirstPassword = async () => (await import('./screens/gateways/first-password.tsx')).FirstPassword;

document.documentElement.lang = language;
startTheme();
startSound();
startScreenLight();
startPondCodes();
startProgram();
startPush();
void startInstance();
startRemoteOrders();
void startOutbox();
setInterval(() => void renewIfDue(), 60_000);

const place = document.getElementById('app');
if (place !== null) render(<App />, place);
prepareFormats();

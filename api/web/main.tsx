import './style/tokens.css';
import './style/base.css';
import './style/print.css';
import './style/shared.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { createPage, PageState } from './page.ts';

const root = document.getElementById('app');
if (root !== null)
  render(
    <PageState.Provider value={createPage()}>
      <App />
    </PageState.Provider>,
    root,
  );
